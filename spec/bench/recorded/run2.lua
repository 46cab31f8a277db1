-- Measured by spec/bench/run.sh.
return {
  ["cases"] = {
    ["conv.batch_norm 32x64x56"] = {
      [1] = {
        ["kiln"] = { ["least"] = 12531614.5, ["median"] = 14926366 },
        ["torch"] = { ["least"] = 29419934, ["median"] = 34347726 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7301236.7, ["median"] = 8599334 },
        ["torch"] = { ["least"] = 17611426, ["median"] = 20121828.5 },
      },
    },
    ["conv.both 32x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 227766398, ["median"] = 231750450 },
        ["torch"] = { ["least"] = 259535385, ["median"] = 267998449 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 114763528, ["median"] = 119221361 },
        ["torch"] = { ["least"] = 144543072, ["median"] = 150786656 },
      },
    },
    ["conv.both 32x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 18877438, ["median"] = 19175907 },
        ["torch"] = { ["least"] = 27092048, ["median"] = 28165554 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8988935.5, ["median"] = 12333931 },
        ["torch"] = { ["least"] = 13109991.5, ["median"] = 16373732.75 },
      },
    },
    ["conv.both 32x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 134250020, ["median"] = 135033874 },
        ["torch"] = { ["least"] = 139451707, ["median"] = 140029210 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 45793988, ["median"] = 49207146 },
        ["torch"] = { ["least"] = 50913170, ["median"] = 59229617 },
      },
    },
    ["conv.both 32x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 142615445, ["median"] = 143314761 },
        ["torch"] = { ["least"] = 141645347, ["median"] = 142933954 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 78112000, ["median"] = 78708939 },
        ["torch"] = { ["least"] = 76274862, ["median"] = 81123007 },
      },
    },
    ["conv.both 32x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 14074380.5, ["median"] = 14527173.5 },
        ["torch"] = { ["least"] = 18430950, ["median"] = 20208458 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7802749.5, ["median"] = 10709022 },
        ["torch"] = { ["least"] = 10204098.5, ["median"] = 14507051.5 },
      },
    },
    ["conv.both 32x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 97138728, ["median"] = 105407840 },
        ["torch"] = { ["least"] = 104655738, ["median"] = 106347018 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 60062493, ["median"] = 62282551 },
        ["torch"] = { ["least"] = 68556617, ["median"] = 74141802 },
      },
    },
    ["conv.both 32x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 431098474, ["median"] = 469927790 },
        ["torch"] = { ["least"] = 671359047, ["median"] = 679014125 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 223643207, ["median"] = 231047770 },
        ["torch"] = { ["least"] = 378798464, ["median"] = 388829517 },
      },
    },
    ["conv.both 32x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 197763175, ["median"] = 204879831 },
        ["torch"] = { ["least"] = 201222148, ["median"] = 206519591 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 107272757, ["median"] = 121441695 },
        ["torch"] = { ["least"] = 109985383, ["median"] = 117597878 },
      },
    },
    ["conv.both 32x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 30669277, ["median"] = 31090659 },
        ["torch"] = { ["least"] = 80324591, ["median"] = 81999206 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 16627962, ["median"] = 17606089 },
        ["torch"] = { ["least"] = 44649844, ["median"] = 48681734 },
      },
    },
    ["conv.both 32x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 99039102, ["median"] = 106453041 },
        ["torch"] = { ["least"] = 148046081, ["median"] = 148304488 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 51445689, ["median"] = 63467776 },
        ["torch"] = { ["least"] = 88770311, ["median"] = 89927368 },
      },
    },
    ["conv.both 32x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 205706370, ["median"] = 270414263 },
        ["torch"] = { ["least"] = 227651905, ["median"] = 310872824 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 127881011, ["median"] = 132470155 },
        ["torch"] = { ["least"] = 144310629, ["median"] = 155170167 },
      },
    },
    ["conv.both 8x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 37418275, ["median"] = 38396362 },
        ["torch"] = { ["least"] = 37913274, ["median"] = 39728620 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 23826368, ["median"] = 27636624 },
        ["torch"] = { ["least"] = 21462117, ["median"] = 32529767.5 },
      },
    },
    ["conv.both 8x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3806123.8, ["median"] = 4385738.2 },
        ["torch"] = { ["least"] = 5925204.3, ["median"] = 7049475.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2750567.7, ["median"] = 3890861.2 },
        ["torch"] = { ["least"] = 4895310.5, ["median"] = 6984893.3 },
      },
    },
    ["conv.both 8x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 23014950, ["median"] = 23661145.5 },
        ["torch"] = { ["least"] = 23963527, ["median"] = 25635540.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 11443924, ["median"] = 16455280.5 },
        ["torch"] = { ["least"] = 15840991, ["median"] = 19074542 },
      },
    },
    ["conv.both 8x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 47277173, ["median"] = 52461979 },
        ["torch"] = { ["least"] = 52838746, ["median"] = 54731655 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 30211240, ["median"] = 34513759 },
        ["torch"] = { ["least"] = 31217727, ["median"] = 34161190 },
      },
    },
    ["conv.both 8x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3175827.4, ["median"] = 3547475.2 },
        ["torch"] = { ["least"] = 4772462.8, ["median"] = 5178687.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3102186.6, ["median"] = 4336460.7 },
        ["torch"] = { ["least"] = 4682017, ["median"] = 5736542.7 },
      },
    },
    ["conv.both 8x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 25366208, ["median"] = 25711040.5 },
        ["torch"] = { ["least"] = 26651344, ["median"] = 27107274.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 13718517, ["median"] = 18756103 },
        ["torch"] = { ["least"] = 16255646, ["median"] = 20517896 },
      },
    },
    ["conv.both 8x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 98564478, ["median"] = 107933079 },
        ["torch"] = { ["least"] = 117961608, ["median"] = 118191333 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 49715309, ["median"] = 54536659 },
        ["torch"] = { ["least"] = 59354333, ["median"] = 64673574 },
      },
    },
    ["conv.both 8x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 44284587, ["median"] = 45070180 },
        ["torch"] = { ["least"] = 43149520, ["median"] = 46101173 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 30889843, ["median"] = 33801790.5 },
        ["torch"] = { ["least"] = 31573337, ["median"] = 35812683.5 },
      },
    },
    ["conv.both 8x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6423592.7, ["median"] = 7213835 },
        ["torch"] = { ["least"] = 10367872, ["median"] = 12304610.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3303670.4, ["median"] = 4428754.8 },
        ["torch"] = { ["least"] = 5431531.3, ["median"] = 6427806 },
      },
    },
    ["conv.both 8x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 24960725, ["median"] = 27307967 },
        ["torch"] = { ["least"] = 29799943, ["median"] = 32012902.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 12392709, ["median"] = 18079634 },
        ["torch"] = { ["least"] = 14638025, ["median"] = 20113402 },
      },
    },
    ["conv.both 8x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 40936047, ["median"] = 44636435 },
        ["torch"] = { ["least"] = 43460936, ["median"] = 44131832 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 23657381, ["median"] = 24997696 },
        ["torch"] = { ["least"] = 23374246, ["median"] = 29151641 },
      },
    },
    ["conv.forward 32x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 53337755, ["median"] = 76064654 },
        ["torch"] = { ["least"] = 76328199, ["median"] = 76822966 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 23546907, ["median"] = 24942513 },
        ["torch"] = { ["least"] = 23565441, ["median"] = 26065490 },
      },
    },
    ["conv.forward 32x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5464557.3, ["median"] = 6398935 },
        ["torch"] = { ["least"] = 7376298.7, ["median"] = 8235784.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4425822.4, ["median"] = 5569177.3 },
        ["torch"] = { ["least"] = 5258628, ["median"] = 6441365.75 },
      },
    },
    ["conv.forward 32x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 28373923, ["median"] = 28608240 },
        ["torch"] = { ["least"] = 29706973, ["median"] = 32855703 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 15637799, ["median"] = 19454587 },
        ["torch"] = { ["least"] = 14763995, ["median"] = 18146713 },
      },
    },
    ["conv.forward 32x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 46390321, ["median"] = 47522327 },
        ["torch"] = { ["least"] = 45267383, ["median"] = 45614733 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 27891624, ["median"] = 47581919 },
        ["torch"] = { ["least"] = 28126278, ["median"] = 43397706 },
      },
    },
    ["conv.forward 32x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3881566.3, ["median"] = 4269379 },
        ["torch"] = { ["least"] = 4606252.2, ["median"] = 4853156.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2167915.1, ["median"] = 2891596.25 },
        ["torch"] = { ["least"] = 2219987.6, ["median"] = 2918223.65 },
      },
    },
    ["conv.forward 32x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 25169817, ["median"] = 25917886.5 },
        ["torch"] = { ["least"] = 27538407, ["median"] = 27640252 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 15242356, ["median"] = 17871680 },
        ["torch"] = { ["least"] = 14663685, ["median"] = 17672982.5 },
      },
    },
    ["conv.forward 32x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 73815786, ["median"] = 75252362 },
        ["torch"] = { ["least"] = 195951766, ["median"] = 197118468 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 31173033, ["median"] = 31351790 },
        ["torch"] = { ["least"] = 81989190, ["median"] = 83774720 },
      },
    },
    ["conv.forward 32x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 61420677, ["median"] = 61840624 },
        ["torch"] = { ["least"] = 56745643, ["median"] = 59220744 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 32674412, ["median"] = 37198780 },
        ["torch"] = { ["least"] = 32830047, ["median"] = 36493457.5 },
      },
    },
    ["conv.forward 32x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 10296934, ["median"] = 10873346 },
        ["torch"] = { ["least"] = 12144014, ["median"] = 13444769.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5370580, ["median"] = 6531353 },
        ["torch"] = { ["least"] = 6468921.7, ["median"] = 8559315 },
      },
    },
    ["conv.forward 32x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 42005845, ["median"] = 62180287 },
        ["torch"] = { ["least"] = 38504749, ["median"] = 38810474 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 16144917, ["median"] = 19052466 },
        ["torch"] = { ["least"] = 18818440, ["median"] = 19547544 },
      },
    },
    ["conv.forward 32x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 88072273, ["median"] = 124684413 },
        ["torch"] = { ["least"] = 109987521, ["median"] = 115296967 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 44746860, ["median"] = 46434106 },
        ["torch"] = { ["least"] = 57887936, ["median"] = 62287662 },
      },
    },
    ["conv.forward 8x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 13025381, ["median"] = 14771309.5 },
        ["torch"] = { ["least"] = 13207883.5, ["median"] = 13713716 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6896158.5, ["median"] = 7641546 },
        ["torch"] = { ["least"] = 6670436.3, ["median"] = 6960141 },
      },
    },
    ["conv.forward 8x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1266486.1, ["median"] = 1371205.9 },
        ["torch"] = { ["least"] = 1413223.5, ["median"] = 1535515.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 654130.5, ["median"] = 950121.7 },
        ["torch"] = { ["least"] = 723508.2, ["median"] = 1058626.2 },
      },
    },
    ["conv.forward 8x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6898569, ["median"] = 7224248.5 },
        ["torch"] = { ["least"] = 7127146, ["median"] = 7383975.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5248814, ["median"] = 6605475.5 },
        ["torch"] = { ["least"] = 6767513, ["median"] = 8743149.7 },
      },
    },
    ["conv.forward 8x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 19568390, ["median"] = 20098885 },
        ["torch"] = { ["least"] = 19840603, ["median"] = 20108672 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 9870737.5, ["median"] = 11495137.5 },
        ["torch"] = { ["least"] = 9864447.5, ["median"] = 12769855.5 },
      },
    },
    ["conv.forward 8x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1338759.8, ["median"] = 1591342.3 },
        ["torch"] = { ["least"] = 1463973.3, ["median"] = 1627935.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 757577.6, ["median"] = 1017512.2 },
        ["torch"] = { ["least"] = 824741.1, ["median"] = 1142772.1 },
      },
    },
    ["conv.forward 8x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6341486.7, ["median"] = 7130795.7 },
        ["torch"] = { ["least"] = 6693227.7, ["median"] = 7129866 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6362783, ["median"] = 7120517 },
        ["torch"] = { ["least"] = 6548084.3, ["median"] = 8420978.7 },
      },
    },
    ["conv.forward 8x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 16163916, ["median"] = 16557913 },
        ["torch"] = { ["least"] = 36488261, ["median"] = 39833201 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 9521500, ["median"] = 10461820.25 },
        ["torch"] = { ["least"] = 24271570, ["median"] = 24735786 },
      },
    },
    ["conv.forward 8x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 11898709, ["median"] = 12780156.5 },
        ["torch"] = { ["least"] = 12632780.5, ["median"] = 12948841.75 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 9027605, ["median"] = 10915767 },
        ["torch"] = { ["least"] = 9243150, ["median"] = 9599160 },
      },
    },
    ["conv.forward 8x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1902104.2, ["median"] = 2210430.9 },
        ["torch"] = { ["least"] = 1999578.6, ["median"] = 2432950.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1061035, ["median"] = 1685614.9 },
        ["torch"] = { ["least"] = 1197603.4, ["median"] = 1492763.3 },
      },
    },
    ["conv.forward 8x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6898015.5, ["median"] = 7257178 },
        ["torch"] = { ["least"] = 8124555.5, ["median"] = 8808788 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3452653.4, ["median"] = 4595998.2 },
        ["torch"] = { ["least"] = 3923341.8, ["median"] = 5140374.7 },
      },
    },
    ["conv.forward 8x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 12456568, ["median"] = 12582794 },
        ["torch"] = { ["least"] = 13134945, ["median"] = 13232705 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6311954, ["median"] = 7751185.3 },
        ["torch"] = { ["least"] = 6250357, ["median"] = 7027130.65 },
      },
    },
    ["conv.max_pool 32x64x56"] = {
      [1] = {
        ["kiln"] = { ["least"] = 24353261, ["median"] = 24391422 },
        ["torch"] = { ["least"] = 69686830, ["median"] = 70306065 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 19239570, ["median"] = 19422407 },
        ["torch"] = { ["least"] = 45138176, ["median"] = 48324601 },
      },
    },
    ["fused.expression 10000000"] = {
      [1] = {
        ["jax"] = { ["least"] = 95700733, ["median"] = 97108086 },
        ["kiln"] = { ["least"] = 37297469, ["median"] = 54427712 },
        ["torch"] = { ["least"] = 262099185, ["median"] = 372350695 },
      },
      [2] = {
        ["jax"] = { ["least"] = 54224769, ["median"] = 61250622 },
        ["kiln"] = { ["least"] = 21059967, ["median"] = 22721203 },
        ["torch"] = { ["least"] = 147430449, ["median"] = 166377555 },
      },
    },
    ["matmul.batched 64x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 313829.8, ["median"] = 369326.2 },
        ["torch"] = { ["least"] = 288818, ["median"] = 317346.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 195830.9, ["median"] = 304522.7 },
        ["torch"] = { ["least"] = 180903.8, ["median"] = 264782.6 },
      },
    },
    ["matmul.left_transposed 1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 23367760, ["median"] = 24008898 },
        ["torch"] = { ["least"] = 18490441, ["median"] = 19781678 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 12417754, ["median"] = 14761074.5 },
        ["torch"] = { ["least"] = 10415128.5, ["median"] = 11476201 },
      },
    },
    ["matmul.product 1024x1024x1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 19308767, ["median"] = 19913309 },
        ["torch"] = { ["least"] = 18719978, ["median"] = 19421078 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 9532095.5, ["median"] = 11987540.5 },
        ["torch"] = { ["least"] = 9896503.5, ["median"] = 11888108 },
      },
    },
    ["matmul.product 128x128x128"] = {
      [1] = {
        ["kiln"] = { ["least"] = 36556.1, ["median"] = 46325.4 },
        ["torch"] = { ["least"] = 32636.6, ["median"] = 40789.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 36668.7, ["median"] = 42010.1 },
        ["torch"] = { ["least"] = 27144.8, ["median"] = 32621.8 },
      },
    },
    ["matmul.product 1x512x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 173173.7, ["median"] = 179108.3 },
        ["torch"] = { ["least"] = 181972.6, ["median"] = 194468.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 64231.5, ["median"] = 89469.5 },
        ["torch"] = { ["least"] = 74618.5, ["median"] = 102620.4 },
      },
    },
    ["matmul.product 2048x2048x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 132041661, ["median"] = 139517922 },
        ["torch"] = { ["least"] = 126727467, ["median"] = 127726555 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 70099758, ["median"] = 71981813 },
        ["torch"] = { ["least"] = 66650661, ["median"] = 69670701 },
      },
    },
    ["matmul.product 20x650x2600"] = {
      [1] = {
        ["kiln"] = { ["least"] = 917323.3, ["median"] = 989125.4 },
        ["torch"] = { ["least"] = 974420.1, ["median"] = 1038333.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 587196.8, ["median"] = 852586.3 },
        ["torch"] = { ["least"] = 619493.9, ["median"] = 916543.4 },
      },
    },
    ["matmul.product 256x256x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 298030.4, ["median"] = 333492.7 },
        ["torch"] = { ["least"] = 284913.5, ["median"] = 303775.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 191718, ["median"] = 253240.7 },
        ["torch"] = { ["least"] = 166324.6, ["median"] = 234943.9 },
      },
    },
    ["matmul.product 512x512x512"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2577139.3, ["median"] = 2737913.1 },
        ["torch"] = { ["least"] = 2325363.3, ["median"] = 2482849.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1334162.2, ["median"] = 1787982.2 },
        ["torch"] = { ["least"] = 1255173.3, ["median"] = 1893565 },
      },
    },
    ["matmul.product 64x64x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 4787.6, ["median"] = 5778.7 },
        ["torch"] = { ["least"] = 5952.8, ["median"] = 6258.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7155.9, ["median"] = 8825 },
        ["torch"] = { ["least"] = 10995.1, ["median"] = 11522.4 },
      },
    },
    ["matmul.product 64x784x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 156712, ["median"] = 178928.1 },
        ["torch"] = { ["least"] = 157924.7, ["median"] = 182093.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 90683.2, ["median"] = 109399.3 },
        ["torch"] = { ["least"] = 110885, ["median"] = 129864.6 },
      },
    },
    ["matmul.right_transposed 1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 20463534, ["median"] = 20761539 },
        ["torch"] = { ["least"] = 20003486, ["median"] = 21006188 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7434946, ["median"] = 8045653.25 },
        ["torch"] = { ["least"] = 7573692, ["median"] = 9013751 },
      },
    },
    ["movement.add_transposed 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1126942.4, ["median"] = 1175142.5 },
        ["torch"] = { ["least"] = 1471378.5, ["median"] = 1703698.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 574606, ["median"] = 880050.3 },
        ["torch"] = { ["least"] = 745694.9, ["median"] = 1097219.7 },
      },
    },
    ["movement.cat 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 327146.2, ["median"] = 345185.8 },
        ["torch"] = { ["least"] = 365220.3, ["median"] = 395390.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 153638.2, ["median"] = 231151.4 },
        ["torch"] = { ["least"] = 185726.3, ["median"] = 283378.8 },
      },
    },
    ["movement.cumsum 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 980499.2, ["median"] = 1065397.1 },
        ["torch"] = { ["least"] = 1198688.4, ["median"] = 1270148.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 707736.1, ["median"] = 756650.8 },
        ["torch"] = { ["least"] = 913475.8, ["median"] = 1093663.2 },
      },
    },
    ["movement.embedding_backward 50257x384x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 9354480, ["median"] = 14099130 },
        ["torch"] = { ["least"] = 45567761, ["median"] = 47686106 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 12398252.5, ["median"] = 14498349.25 },
        ["torch"] = { ["least"] = 34460369, ["median"] = 35393095 },
      },
    },
    ["movement.gather 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1816476, ["median"] = 1998860 },
        ["torch"] = { ["least"] = 2545785.5, ["median"] = 3389443 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 908338.3, ["median"] = 1417862.3 },
        ["torch"] = { ["least"] = 744121.1, ["median"] = 1226540.3 },
      },
    },
    ["movement.index_select 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 297453.1, ["median"] = 333513 },
        ["torch"] = { ["least"] = 355796.2, ["median"] = 417131.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 174524.9, ["median"] = 229474 },
        ["torch"] = { ["least"] = 178675, ["median"] = 281881.8 },
      },
    },
    ["movement.masked_select 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1208967.7, ["median"] = 1244760.2 },
        ["torch"] = { ["least"] = 4943252.7, ["median"] = 6181588.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 738947.3, ["median"] = 1093256.7 },
        ["torch"] = { ["least"] = 5191103.7, ["median"] = 7905103 },
      },
    },
    ["movement.sort 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 46423549, ["median"] = 47202778 },
        ["torch"] = { ["least"] = 141281159, ["median"] = 146257097 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 18856741, ["median"] = 22389322 },
        ["torch"] = { ["least"] = 134144340, ["median"] = 140693103 },
      },
    },
    ["movement.topk 1000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 668349.9, ["median"] = 706130.6 },
        ["torch"] = { ["least"] = 5455621.7, ["median"] = 7432379 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 620808.8, ["median"] = 683612.2 },
        ["torch"] = { ["least"] = 4594328, ["median"] = 6247551.5 },
      },
    },
    ["movement.transposed 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 877601.9, ["median"] = 913501.6 },
        ["torch"] = { ["least"] = 2811074.2, ["median"] = 3047768.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 451322.5, ["median"] = 490672.6 },
        ["torch"] = { ["least"] = 1295402.8, ["median"] = 2568804.9 },
      },
    },
    ["optim.adam 10000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 14755895, ["median"] = 15270238 },
        ["torch"] = { ["least"] = 36482900, ["median"] = 36956214 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7747150, ["median"] = 10384653.5 },
        ["torch"] = { ["least"] = 19572104, ["median"] = 25352906 },
      },
    },
    ["optim.adam_fused 10000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 15412105, ["median"] = 16186465 },
        ["torch"] = { ["least"] = 16183008, ["median"] = 17291595 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7689880, ["median"] = 10502096.5 },
        ["torch"] = { ["least"] = 9869427.5, ["median"] = 12324313 },
      },
    },
    ["pointwise.add 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 938.4, ["median"] = 1289.3 },
        ["torch"] = { ["least"] = 1741, ["median"] = 1769.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 958, ["median"] = 1118.3 },
        ["torch"] = { ["least"] = 2563.6, ["median"] = 3258.6 },
      },
    },
    ["pointwise.add 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 52605.4, ["median"] = 63737.9 },
        ["torch"] = { ["least"] = 25007, ["median"] = 25665.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 40053.1, ["median"] = 59885.1 },
        ["torch"] = { ["least"] = 12055.7, ["median"] = 15995.1 },
      },
    },
    ["pointwise.add 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 463695, ["median"] = 510569.2 },
        ["torch"] = { ["least"] = 535125.2, ["median"] = 608908.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 259119.8, ["median"] = 370041.8 },
        ["torch"] = { ["least"] = 281903, ["median"] = 407485.7 },
      },
    },
    ["pointwise.add 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7645635, ["median"] = 8375476 },
        ["torch"] = { ["least"] = 31974933, ["median"] = 33330719 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2567692.3, ["median"] = 4286624.5 },
        ["torch"] = { ["least"] = 14251952, ["median"] = 18756759.5 },
      },
    },
    ["pointwise.add_column 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1403.6, ["median"] = 1741.2 },
        ["torch"] = { ["least"] = 1706.5, ["median"] = 1752.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1866.5, ["median"] = 2319.8 },
        ["torch"] = { ["least"] = 2719.6, ["median"] = 3315.6 },
      },
    },
    ["pointwise.add_column 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 52110.5, ["median"] = 59966 },
        ["torch"] = { ["least"] = 17172.9, ["median"] = 17494.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 52889.7, ["median"] = 80844.3 },
        ["torch"] = { ["least"] = 14971.7, ["median"] = 22571 },
      },
    },
    ["pointwise.add_column 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 457971.2, ["median"] = 583172.3 },
        ["torch"] = { ["least"] = 386471.4, ["median"] = 421929.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 316750.4, ["median"] = 427436.1 },
        ["torch"] = { ["least"] = 213497.5, ["median"] = 301520.7 },
      },
    },
    ["pointwise.add_column 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6551017, ["median"] = 6691382 },
        ["torch"] = { ["least"] = 28698078, ["median"] = 29324102 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2594501.3, ["median"] = 3894928.5 },
        ["torch"] = { ["least"] = 15969751, ["median"] = 22812987 },
      },
    },
    ["pointwise.add_in_place 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 282.8, ["median"] = 285.3 },
        ["torch"] = { ["least"] = 2175.9, ["median"] = 2349.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 273.4, ["median"] = 295.6 },
        ["torch"] = { ["least"] = 2181.3, ["median"] = 2400.4 },
      },
    },
    ["pointwise.add_in_place 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 12673.8, ["median"] = 13167.3 },
        ["torch"] = { ["least"] = 13529.4, ["median"] = 17015.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7716.3, ["median"] = 11064.9 },
        ["torch"] = { ["least"] = 8612.5, ["median"] = 14167.3 },
      },
    },
    ["pointwise.add_in_place 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 357804, ["median"] = 369871 },
        ["torch"] = { ["least"] = 387570.3, ["median"] = 405147.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 183004.3, ["median"] = 262184.8 },
        ["torch"] = { ["least"] = 191792.3, ["median"] = 307456.2 },
      },
    },
    ["pointwise.add_in_place 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6031327.7, ["median"] = 6319803.5 },
        ["torch"] = { ["least"] = 6843861.3, ["median"] = 7148925.15 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1838313, ["median"] = 2639998.1 },
        ["torch"] = { ["least"] = 1909871.3, ["median"] = 3903016.7 },
      },
    },
    ["pointwise.add_row 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1469.6, ["median"] = 1670.6 },
        ["torch"] = { ["least"] = 3613, ["median"] = 3672.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1266.9, ["median"] = 1644.9 },
        ["torch"] = { ["least"] = 2100.9, ["median"] = 3419.1 },
      },
    },
    ["pointwise.add_row 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 82497.7, ["median"] = 109144.4 },
        ["torch"] = { ["least"] = 35027.6, ["median"] = 40004 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 46861.5, ["median"] = 72084.2 },
        ["torch"] = { ["least"] = 15651.8, ["median"] = 23960 },
      },
    },
    ["pointwise.add_row 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 410784.9, ["median"] = 510863.7 },
        ["torch"] = { ["least"] = 405375, ["median"] = 442423.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 210847.5, ["median"] = 306181.3 },
        ["torch"] = { ["least"] = 197274.6, ["median"] = 281045.3 },
      },
    },
    ["pointwise.add_row 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6312742.5, ["median"] = 7016994 },
        ["torch"] = { ["least"] = 32838626, ["median"] = 33903339 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2179521.5, ["median"] = 3211643.9 },
        ["torch"] = { ["least"] = 17170361, ["median"] = 19923937.5 },
      },
    },
    ["pointwise.exp 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1335.1, ["median"] = 1842 },
        ["torch"] = { ["least"] = 2593.3, ["median"] = 3173.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1335, ["median"] = 1842.3 },
        ["torch"] = { ["least"] = 3454.8, ["median"] = 5177.4 },
      },
    },
    ["pointwise.exp 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 61361.4, ["median"] = 74449.4 },
        ["torch"] = { ["least"] = 21792.5, ["median"] = 22862.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 41850.4, ["median"] = 59831.9 },
        ["torch"] = { ["least"] = 14348.4, ["median"] = 20411.2 },
      },
    },
    ["pointwise.exp 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 378398, ["median"] = 450402.8 },
        ["torch"] = { ["least"] = 378955.4, ["median"] = 424683.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 234282.9, ["median"] = 342274.8 },
        ["torch"] = { ["least"] = 196947.4, ["median"] = 272352.5 },
      },
    },
    ["pointwise.exp 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7446436, ["median"] = 7871537.2 },
        ["torch"] = { ["least"] = 32990965, ["median"] = 33463818.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3380711.2, ["median"] = 4265017.2 },
        ["torch"] = { ["least"] = 17778719, ["median"] = 18483815 },
      },
    },
    ["pointwise.gelu 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1415.5, ["median"] = 1808.4 },
        ["torch"] = { ["least"] = 12292.8, ["median"] = 13361.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1379.1, ["median"] = 2018.2 },
        ["torch"] = { ["least"] = 14529.2, ["median"] = 20290.2 },
      },
    },
    ["pointwise.gelu 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 103605.9, ["median"] = 115408.4 },
        ["torch"] = { ["least"] = 48759.3, ["median"] = 50292.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 72113.9, ["median"] = 112939.1 },
        ["torch"] = { ["least"] = 40386.4, ["median"] = 50662.9 },
      },
    },
    ["pointwise.gelu 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 688368.2, ["median"] = 815926.1 },
        ["torch"] = { ["least"] = 498430.4, ["median"] = 602174.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 572970.8, ["median"] = 787600 },
        ["torch"] = { ["least"] = 376138.5, ["median"] = 532355.7 },
      },
    },
    ["pointwise.gelu 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7204200.3, ["median"] = 7911084.7 },
        ["torch"] = { ["least"] = 26052047, ["median"] = 30348616 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5777920.7, ["median"] = 6252042.35 },
        ["torch"] = { ["least"] = 18316856, ["median"] = 20231452 },
      },
    },
    ["pointwise.mul 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1240.4, ["median"] = 1634.8 },
        ["torch"] = { ["least"] = 3313.2, ["median"] = 3572 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1074.8, ["median"] = 1173.1 },
        ["torch"] = { ["least"] = 2955.6, ["median"] = 3162.3 },
      },
    },
    ["pointwise.mul 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 97879.3, ["median"] = 114031.9 },
        ["torch"] = { ["least"] = 47903.5, ["median"] = 49707.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 46876.5, ["median"] = 82647 },
        ["torch"] = { ["least"] = 19969.2, ["median"] = 24796.8 },
      },
    },
    ["pointwise.mul 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 498782.1, ["median"] = 545323.3 },
        ["torch"] = { ["least"] = 583103.1, ["median"] = 656848.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 286516.8, ["median"] = 406694.4 },
        ["torch"] = { ["least"] = 280719, ["median"] = 406228.8 },
      },
    },
    ["pointwise.mul 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 8402403, ["median"] = 9214519.5 },
        ["torch"] = { ["least"] = 30146664, ["median"] = 30979291.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5177216.2, ["median"] = 5620359.9 },
        ["torch"] = { ["least"] = 18884639, ["median"] = 21495360.5 },
      },
    },
    ["pointwise.relu 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1319.6, ["median"] = 1710.7 },
        ["torch"] = { ["least"] = 2904.4, ["median"] = 2996.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1120.4, ["median"] = 1250.6 },
        ["torch"] = { ["least"] = 2979.4, ["median"] = 3081.5 },
      },
    },
    ["pointwise.relu 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 42919.8, ["median"] = 51882.7 },
        ["torch"] = { ["least"] = 16092.9, ["median"] = 16265 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 31256.3, ["median"] = 47516.3 },
        ["torch"] = { ["least"] = 8949.8, ["median"] = 12070.3 },
      },
    },
    ["pointwise.relu 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 351772, ["median"] = 386976.2 },
        ["torch"] = { ["least"] = 386144.9, ["median"] = 425720.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 191629.6, ["median"] = 302009.2 },
        ["torch"] = { ["least"] = 193832.1, ["median"] = 266243.9 },
      },
    },
    ["pointwise.relu 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6143187.7, ["median"] = 6339857.2 },
        ["torch"] = { ["least"] = 29795936, ["median"] = 29981525 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2125130, ["median"] = 3486757.35 },
        ["torch"] = { ["least"] = 16291175, ["median"] = 19498618.5 },
      },
    },
    ["pointwise.sigmoid 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1010.5, ["median"] = 1390.1 },
        ["torch"] = { ["least"] = 2013.3, ["median"] = 2044.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 992.2, ["median"] = 1087 },
        ["torch"] = { ["least"] = 2016.4, ["median"] = 2083 },
      },
    },
    ["pointwise.sigmoid 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 78736.6, ["median"] = 93730.6 },
        ["torch"] = { ["least"] = 52052.9, ["median"] = 53206.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 56809.5, ["median"] = 75573.9 },
        ["torch"] = { ["least"] = 29933.6, ["median"] = 42577.3 },
      },
    },
    ["pointwise.sigmoid 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 490745, ["median"] = 601659.5 },
        ["torch"] = { ["least"] = 659173.6, ["median"] = 818537.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 371545.8, ["median"] = 519345.5 },
        ["torch"] = { ["least"] = 393399.8, ["median"] = 527934.9 },
      },
    },
    ["pointwise.sigmoid 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7175861, ["median"] = 7340679.5 },
        ["torch"] = { ["least"] = 32232418, ["median"] = 34657526 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3571430.5, ["median"] = 4071676 },
        ["torch"] = { ["least"] = 19478101, ["median"] = 20894003 },
      },
    },
    ["pointwise.tanh 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 988.1, ["median"] = 1365.7 },
        ["torch"] = { ["least"] = 1795.5, ["median"] = 2931.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 974.9, ["median"] = 1471.9 },
        ["torch"] = { ["least"] = 3246.3, ["median"] = 5334.3 },
      },
    },
    ["pointwise.tanh 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 88163.7, ["median"] = 111737.3 },
        ["torch"] = { ["least"] = 42981.1, ["median"] = 46818.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 47635.6, ["median"] = 71348.1 },
        ["torch"] = { ["least"] = 23143.5, ["median"] = 31493.9 },
      },
    },
    ["pointwise.tanh 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 430729.4, ["median"] = 468964.4 },
        ["torch"] = { ["least"] = 463959.3, ["median"] = 516520.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 263355.8, ["median"] = 415243.5 },
        ["torch"] = { ["least"] = 238645.3, ["median"] = 366274.7 },
      },
    },
    ["pointwise.tanh 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5779612.3, ["median"] = 5878854.7 },
        ["torch"] = { ["least"] = 25183366, ["median"] = 26662206 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3459099, ["median"] = 4212548 },
        ["torch"] = { ["least"] = 17316543, ["median"] = 19258519.5 },
      },
    },
    ["pointwise.where 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1202.3, ["median"] = 1486 },
        ["torch"] = { ["least"] = 3569.4, ["median"] = 3720.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1298.2, ["median"] = 1785.8 },
        ["torch"] = { ["least"] = 3609.1, ["median"] = 3759.8 },
      },
    },
    ["pointwise.where 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 48546.8, ["median"] = 63050.2 },
        ["torch"] = { ["least"] = 182610.2, ["median"] = 193845.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 35300.1, ["median"] = 56297.2 },
        ["torch"] = { ["least"] = 80495.3, ["median"] = 112752 },
      },
    },
    ["pointwise.where 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 986130.6, ["median"] = 1024516.9 },
        ["torch"] = { ["least"] = 2257537.7, ["median"] = 2797152.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 517843.9, ["median"] = 747816.6 },
        ["torch"] = { ["least"] = 1009422.3, ["median"] = 1474517.1 },
      },
    },
    ["pointwise.where 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 14460946, ["median"] = 15655720 },
        ["torch"] = { ["least"] = 53000014, ["median"] = 54688534 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6472343.7, ["median"] = 7500289.7 },
        ["torch"] = { ["least"] = 25340671, ["median"] = 31368894 },
      },
    },
    ["random.bernoulli 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1901432.2, ["median"] = 1974912 },
        ["torch"] = { ["least"] = 19815416, ["median"] = 20786206 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1012197, ["median"] = 1193596.2 },
        ["torch"] = { ["least"] = 17579951, ["median"] = 18865810.5 },
      },
    },
    ["random.rand 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1268109.8, ["median"] = 1362191.3 },
        ["torch"] = { ["least"] = 6821901, ["median"] = 7073530.25 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 641979.4, ["median"] = 720430.4 },
        ["torch"] = { ["least"] = 6953293.7, ["median"] = 7057065 },
      },
    },
    ["random.randn 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1848400.7, ["median"] = 1996083.2 },
        ["torch"] = { ["least"] = 6583206.5, ["median"] = 6773573 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1053224.4, ["median"] = 1084811.3 },
        ["torch"] = { ["least"] = 6632690.7, ["median"] = 6864581.3 },
      },
    },
    ["random.randperm 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5383622.7, ["median"] = 6048909.7 },
        ["torch"] = { ["least"] = 14031353, ["median"] = 14591864 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6157198.7, ["median"] = 6841084 },
        ["torch"] = { ["least"] = 13703943, ["median"] = 14934575 },
      },
    },
    ["reduce.layer_norm 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 551713.6, ["median"] = 607265 },
        ["torch"] = { ["least"] = 531889.8, ["median"] = 687089.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 306848.7, ["median"] = 467668.4 },
        ["torch"] = { ["least"] = 259662.9, ["median"] = 402086.2 },
      },
    },
    ["reduce.layer_norm 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2185683.1, ["median"] = 2711123.5 },
        ["torch"] = { ["least"] = 3546125.4, ["median"] = 4395920.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1455102.9, ["median"] = 2032348 },
        ["torch"] = { ["least"] = 1595929.1, ["median"] = 2503740.3 },
      },
    },
    ["reduce.log_softmax 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 985573, ["median"] = 1082267.4 },
        ["torch"] = { ["least"] = 1068487.4, ["median"] = 1426249.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 532798.8, ["median"] = 716815.8 },
        ["torch"] = { ["least"] = 477449.8, ["median"] = 696085.8 },
      },
    },
    ["reduce.log_softmax 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2900961.4, ["median"] = 3222860 },
        ["torch"] = { ["least"] = 5187218.5, ["median"] = 5448294.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2108761, ["median"] = 3144609.6 },
        ["torch"] = { ["least"] = 2327048.1, ["median"] = 3852613.3 },
      },
    },
    ["reduce.logsumexp 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 827508.2, ["median"] = 871294.9 },
        ["torch"] = { ["least"] = 1408311.8, ["median"] = 1872296.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 399147, ["median"] = 547237.9 },
        ["torch"] = { ["least"] = 628275.7, ["median"] = 906460.9 },
      },
    },
    ["reduce.logsumexp 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1591745.1, ["median"] = 1710236.8 },
        ["torch"] = { ["least"] = 3619136.3, ["median"] = 4907230 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1039860.2, ["median"] = 1672719.5 },
        ["torch"] = { ["least"] = 1892519.7, ["median"] = 3410603.9 },
      },
    },
    ["reduce.max 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 399394.2, ["median"] = 424128.7 },
        ["torch"] = { ["least"] = 1908873.9, ["median"] = 2029075.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 192375, ["median"] = 282113.1 },
        ["torch"] = { ["least"] = 996100.9, ["median"] = 1359462.1 },
      },
    },
    ["reduce.max 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 810206.8, ["median"] = 891142.6 },
        ["torch"] = { ["least"] = 3105377.6, ["median"] = 3626028.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 390307.5, ["median"] = 575552.6 },
        ["torch"] = { ["least"] = 1492802.4, ["median"] = 2537803.6 },
      },
    },
    ["reduce.mean 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 173886.5, ["median"] = 178177.6 },
        ["torch"] = { ["least"] = 190974.4, ["median"] = 195805.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 52292.2, ["median"] = 66695.1 },
        ["torch"] = { ["least"] = 55694, ["median"] = 68673.4 },
      },
    },
    ["reduce.mean 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 562754.8, ["median"] = 611947.3 },
        ["torch"] = { ["least"] = 682863, ["median"] = 784212.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 287799.7, ["median"] = 442475.2 },
        ["torch"] = { ["least"] = 365918.5, ["median"] = 538396.7 },
      },
    },
    ["reduce.softmax 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1216877.1, ["median"] = 1285034.9 },
        ["torch"] = { ["least"] = 1044934.7, ["median"] = 1194045.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 491412, ["median"] = 782096.5 },
        ["torch"] = { ["least"] = 412590.7, ["median"] = 664399.6 },
      },
    },
    ["reduce.softmax 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5172857, ["median"] = 5671206.3 },
        ["torch"] = { ["least"] = 5002580, ["median"] = 5352928.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2817376.7, ["median"] = 3842416.2 },
        ["torch"] = { ["least"] = 2054023, ["median"] = 2942453.9 },
      },
    },
    ["reduce.sum 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 173132.5, ["median"] = 178644.3 },
        ["torch"] = { ["least"] = 181239.7, ["median"] = 194838.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 67776.2, ["median"] = 92878.5 },
        ["torch"] = { ["least"] = 65394.7, ["median"] = 99168.3 },
      },
    },
    ["reduce.sum 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 590891.9, ["median"] = 650330.4 },
        ["torch"] = { ["least"] = 657956.8, ["median"] = 746170.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 300216.3, ["median"] = 443979.3 },
        ["torch"] = { ["least"] = 379106.8, ["median"] = 553467.6 },
      },
    },
    ["reduce.sum_of_columns 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 175054.3, ["median"] = 194537.3 },
        ["torch"] = { ["least"] = 179565.8, ["median"] = 220191.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 64185.9, ["median"] = 92294.8 },
        ["torch"] = { ["least"] = 56967.7, ["median"] = 73609.4 },
      },
    },
    ["reduce.sum_of_columns 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 620686.8, ["median"] = 705606.1 },
        ["torch"] = { ["least"] = 642571.3, ["median"] = 739053.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 305312.8, ["median"] = 477152.7 },
        ["torch"] = { ["least"] = 326092.8, ["median"] = 454927.3 },
      },
    },
    ["reduce.sum_of_rows 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 183005.3, ["median"] = 199593.6 },
        ["torch"] = { ["least"] = 182262.9, ["median"] = 200773.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 75117.5, ["median"] = 112890.2 },
        ["torch"] = { ["least"] = 53485.5, ["median"] = 79530.7 },
      },
    },
    ["reduce.sum_of_rows 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 623001.5, ["median"] = 697975.3 },
        ["torch"] = { ["least"] = 715674.4, ["median"] = 844759.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 318199.6, ["median"] = 501514.5 },
        ["torch"] = { ["least"] = 360167.5, ["median"] = 591556.4 },
      },
    },
    ["reduce.var 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 213424.5, ["median"] = 220024.9 },
        ["torch"] = { ["least"] = 1046141.9, ["median"] = 1119684.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 112708.7, ["median"] = 152511.2 },
        ["torch"] = { ["least"] = 880568.1, ["median"] = 1232818.5 },
      },
    },
    ["reduce.var 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 739448.7, ["median"] = 795925.9 },
        ["torch"] = { ["least"] = 3692242.5, ["median"] = 4179442 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 387896.1, ["median"] = 552131.1 },
        ["torch"] = { ["least"] = 2173824.1, ["median"] = 2971428.6 },
      },
    },
    ["small.add 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 227.8, ["median"] = 335.6 },
        ["torch"] = { ["least"] = 1646.1, ["median"] = 2448.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 225, ["median"] = 336.8 },
        ["torch"] = { ["least"] = 1554.2, ["median"] = 1709.5 },
      },
    },
    ["small.add_grad 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 538.7, ["median"] = 598 },
        ["torch"] = { ["least"] = 2060, ["median"] = 2273.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 414.6, ["median"] = 468.8 },
        ["torch"] = { ["least"] = 2012.4, ["median"] = 2188.6 },
      },
    },
    ["small.chain 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 22481.3, ["median"] = 24436.8 },
        ["torch"] = { ["least"] = 172869.3, ["median"] = 180413.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 25781.3, ["median"] = 37373.9 },
        ["torch"] = { ["least"] = 184942.7, ["median"] = 309599.1 },
      },
    },
    ["small.select 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 583.4, ["median"] = 653.2 },
        ["torch"] = { ["least"] = 1047.1, ["median"] = 1100.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 912, ["median"] = 1213.3 },
        ["torch"] = { ["least"] = 1164.4, ["median"] = 2232.1 },
      },
    },
    ["small.view 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 631.6, ["median"] = 749.7 },
        ["torch"] = { ["least"] = 1050.8, ["median"] = 1189 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 550.4, ["median"] = 608.6 },
        ["torch"] = { ["least"] = 946.8, ["median"] = 953.1 },
      },
    },
    ["small.zero 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 189.5, ["median"] = 200.1 },
        ["torch"] = { ["least"] = 407.9, ["median"] = 424.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 189.1, ["median"] = 319 },
        ["torch"] = { ["least"] = 431.1, ["median"] = 828.1 },
      },
    },
    ["start"] = {
      [1] = {
        ["kiln"] = { ["least"] = 25549156, ["median"] = 25820692 },
        ["torch"] = { ["least"] = 2252496182, ["median"] = 2310424607 },
      },
    },
    ["training.cnn 64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 75972919, ["median"] = 77060039 },
        ["torch"] = { ["least"] = 87241590, ["median"] = 89731698 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 45193864, ["median"] = 46497409 },
        ["torch"] = { ["least"] = 47580398, ["median"] = 57959976 },
      },
    },
    ["training.gpt 6x384x6x8x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1244723633, ["median"] = 1313454068 },
        ["torch"] = { ["least"] = 1361491263, ["median"] = 1443888877 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 685273604, ["median"] = 691500951 },
        ["torch"] = { ["least"] = 735445694, ["median"] = 769417590 },
      },
    },
    ["training.gru 32x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 36927918, ["median"] = 37789264 },
        ["torch"] = { ["least"] = 61355243, ["median"] = 64841553 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 20098467, ["median"] = 23363573 },
        ["torch"] = { ["least"] = 52866886, ["median"] = 56373273 },
      },
    },
    ["training.lstm 32x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 48310495, ["median"] = 51504737 },
        ["torch"] = { ["least"] = 49956929, ["median"] = 50621623 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 25618502, ["median"] = 30413217 },
        ["torch"] = { ["least"] = 26168337, ["median"] = 31803777.5 },
      },
    },
    ["training.mlp 64"] = {
      [1] = {
        ["jax"] = { ["least"] = 1246093.5, ["median"] = 1378891.5 },
        ["kiln"] = { ["least"] = 1308196.6, ["median"] = 1457964.2 },
        ["torch"] = { ["least"] = 3124210.2, ["median"] = 3244469 },
      },
      [2] = {
        ["jax"] = { ["least"] = 948192.5, ["median"] = 1242365 },
        ["kiln"] = { ["least"] = 883326.5, ["median"] = 1425135.5 },
        ["torch"] = { ["least"] = 2066584.3, ["median"] = 2968523.9 },
      },
    },
    ["training.resnet18 8x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 134533137, ["median"] = 173578030 },
        ["torch"] = { ["least"] = 165161933, ["median"] = 190806397 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 89567209, ["median"] = 96230605 },
        ["torch"] = { ["least"] = 115381972, ["median"] = 127700234 },
      },
    },
  },
  ["cores"] = 2,
  ["cpu"] = "Intel(R) Xeon(R) Processor",
  ["date"] = "2026-11-30 17:30 UTC",
  ["features"] = { [1] = "avx2", [2] = "avx512f", [3] = "avx512_bf16", [4] = "amx_bf16" },
  ["growth"] = {
    [1] = {
      ["family"] = "pointwise",
      ["name"] = "add",
      ["points"] = {
        [1] = { ["kiln1"] = 315.6, ["kiln2"] = 148.7, ["n"] = 1, ["torch1"] = 1353 },
        [2] = { ["kiln1"] = 198.8, ["kiln2"] = 285.2, ["n"] = 10, ["torch1"] = 1262.3 },
        [3] = { ["kiln1"] = 253.7, ["kiln2"] = 235.9, ["n"] = 100, ["torch1"] = 1247.9 },
        [4] = { ["kiln1"] = 1024, ["kiln2"] = 942.7, ["n"] = 1000, ["torch1"] = 1559.4 },
        [5] = { ["kiln1"] = 4372.8, ["kiln2"] = 4158.3, ["n"] = 10000, ["torch1"] = 2961.7 },
        [6] = { ["kiln1"] = 44759, ["kiln2"] = 34195.8, ["n"] = 100000, ["torch1"] = 21711.5 },
        [7] = { ["kiln1"] = 437037.8, ["kiln2"] = 255019.6, ["n"] = 1000000, ["torch1"] = 537193.2 },
        [8] = { ["kiln1"] = 6557048, ["kiln2"] = 2332455.8, ["n"] = 10000000, ["torch1"] = 24135561 },
        [9] = { ["kiln1"] = 70539532, ["kiln2"] = 35648161, ["n"] = 100000000 },
      },
    },
    [2] = {
      ["family"] = "pointwise",
      ["name"] = "exp",
      ["points"] = {
        [1] = { ["kiln1"] = 231.7, ["kiln2"] = 186.8, ["n"] = 1, ["torch1"] = 1205 },
        [2] = { ["kiln1"] = 229.7, ["kiln2"] = 197.4, ["n"] = 10, ["torch1"] = 1230 },
        [3] = { ["kiln1"] = 492, ["kiln2"] = 247.1, ["n"] = 100, ["torch1"] = 1377.3 },
        [4] = { ["kiln1"] = 877.4, ["kiln2"] = 810.8, ["n"] = 1000, ["torch1"] = 1652.9 },
        [5] = { ["kiln1"] = 4954.4, ["kiln2"] = 4483.6, ["n"] = 10000, ["torch1"] = 3554.7 },
        [6] = { ["kiln1"] = 58866.7, ["kiln2"] = 38545.4, ["n"] = 100000, ["torch1"] = 20852.6 },
        [7] = { ["kiln1"] = 317779.4, ["kiln2"] = 179539.9, ["n"] = 1000000, ["torch1"] = 352792.5 },
        [8] = { ["kiln1"] = 5185738.7, ["kiln2"] = 1786855.2, ["n"] = 10000000, ["torch1"] = 24119771 },
        [9] = { ["kiln1"] = 56351438, ["kiln2"] = 33889372, ["n"] = 100000000 },
      },
    },
    [3] = {
      ["family"] = "reduce",
      ["name"] = "sum",
      ["points"] = {
        [1] = { ["kiln1"] = 626.6, ["kiln2"] = 907.6, ["n"] = 1, ["torch1"] = 3946.5 },
        [2] = { ["kiln1"] = 874.9, ["kiln2"] = 861.4, ["n"] = 10, ["torch1"] = 3450 },
        [3] = { ["kiln1"] = 903.5, ["kiln2"] = 797.7, ["n"] = 100, ["torch1"] = 3373.8 },
        [4] = { ["kiln1"] = 598.4, ["kiln2"] = 854.3, ["n"] = 1000, ["torch1"] = 1858 },
        [5] = { ["kiln1"] = 1369.3, ["kiln2"] = 1496.7, ["n"] = 10000, ["torch1"] = 4044.1 },
        [6] = { ["kiln1"] = 6319.1, ["kiln2"] = 5483.8, ["n"] = 100000, ["torch1"] = 8965.7 },
        [7] = { ["kiln1"] = 164708.7, ["kiln2"] = 69596, ["n"] = 1000000, ["torch1"] = 174109 },
        [8] = { ["kiln1"] = 1636780.2, ["kiln2"] = 859942.1, ["n"] = 10000000, ["torch1"] = 1670160.1 },
        [9] = { ["kiln1"] = 37740092, ["kiln2"] = 21714338, ["n"] = 100000000 },
      },
    },
    [4] = {
      ["family"] = "reduce",
      ["name"] = "softmax",
      ["points"] = {
        [1] = { ["kiln1"] = 569.5, ["kiln2"] = 682.5, ["n"] = 1, ["torch1"] = 1353.1 },
        [2] = { ["kiln1"] = 578.2, ["kiln2"] = 540.6, ["n"] = 10, ["torch1"] = 1568.6 },
        [3] = { ["kiln1"] = 438.9, ["kiln2"] = 564, ["n"] = 100, ["torch1"] = 1511.2 },
        [4] = { ["kiln1"] = 1344.3, ["kiln2"] = 1411.6, ["n"] = 1000, ["torch1"] = 2130.5 },
        [5] = { ["kiln1"] = 13892.4, ["kiln2"] = 9056.3, ["n"] = 10000, ["torch1"] = 8938.4 },
        [6] = { ["kiln1"] = 114202, ["kiln2"] = 71619.6, ["n"] = 100000, ["torch1"] = 73571.3 },
        [7] = { ["kiln1"] = 1290345.9, ["kiln2"] = 667368.5, ["n"] = 1000000, ["torch1"] = 1083592.1 },
        [8] = { ["kiln1"] = 10776155, ["kiln2"] = 5177683, ["n"] = 10000000, ["torch1"] = 31186494 },
        [9] = { ["kiln1"] = 102141557, ["kiln2"] = 67210591, ["n"] = 100000000 },
      },
    },
    [5] = {
      ["family"] = "movement",
      ["name"] = "transposed",
      ["points"] = {
        [1] = { ["kiln1"] = 4.9, ["kiln2"] = 5.1, ["n"] = 1, ["torch1"] = 227.5 },
        [2] = { ["kiln1"] = 494.7, ["kiln2"] = 788.8, ["n"] = 100, ["torch1"] = 1983.6 },
        [3] = { ["kiln1"] = 12767.3, ["kiln2"] = 8070.3, ["n"] = 10000, ["torch1"] = 15195.1 },
        [4] = { ["kiln1"] = 833014.9, ["kiln2"] = 438643.6, ["n"] = 1000000, ["torch1"] = 2147568.8 },
        [5] = { ["kiln1"] = 111571680, ["kiln2"] = 52485734, ["n"] = 100000000 },
      },
    },
    [6] = {
      ["family"] = "movement",
      ["name"] = "cumsum",
      ["points"] = {
        [1] = { ["kiln1"] = 638.3, ["kiln2"] = 461.3, ["n"] = 1, ["torch1"] = 1742.1 },
        [2] = { ["kiln1"] = 556.3, ["kiln2"] = 438.8, ["n"] = 10, ["torch1"] = 1776 },
        [3] = { ["kiln1"] = 961.9, ["kiln2"] = 758.2, ["n"] = 100, ["torch1"] = 1908.2 },
        [4] = { ["kiln1"] = 3421.1, ["kiln2"] = 3701.8, ["n"] = 1000, ["torch1"] = 2551.9 },
        [5] = { ["kiln1"] = 9455.2, ["kiln2"] = 8195.5, ["n"] = 10000, ["torch1"] = 13488.5 },
        [6] = { ["kiln1"] = 82209.4, ["kiln2"] = 69033.4, ["n"] = 100000, ["torch1"] = 87302.5 },
        [7] = { ["kiln1"] = 779946.5, ["kiln2"] = 711102.5, ["n"] = 1000000, ["torch1"] = 886700 },
        [8] = { ["kiln1"] = 9469928.5, ["kiln2"] = 6249536, ["n"] = 10000000, ["torch1"] = 26227144 },
        [9] = { ["kiln1"] = 94115339, ["kiln2"] = 78260892, ["n"] = 100000000 },
      },
    },
    [7] = {
      ["family"] = "movement",
      ["name"] = "sort",
      ["points"] = {
        [1] = { ["kiln1"] = 1191, ["kiln2"] = 1039.3, ["n"] = 1, ["torch1"] = 7003.4 },
        [2] = { ["kiln1"] = 739.1, ["kiln2"] = 523.2, ["n"] = 10, ["torch1"] = 4017.8 },
        [3] = { ["kiln1"] = 2972.2, ["kiln2"] = 3446.7, ["n"] = 100, ["torch1"] = 5201 },
        [4] = { ["kiln1"] = 11839.4, ["kiln2"] = 11348.7, ["n"] = 1000, ["torch1"] = 18174.3 },
        [5] = { ["kiln1"] = 137697.7, ["kiln2"] = 133070.3, ["n"] = 10000, ["torch1"] = 691950.7 },
        [6] = { ["kiln1"] = 1524278.2, ["kiln2"] = 1145200.2, ["n"] = 100000, ["torch1"] = 9317370 },
        [7] = { ["kiln1"] = 53927877, ["kiln2"] = 15289414, ["n"] = 1000000, ["torch1"] = 113644892 },
        [8] = { ["kiln1"] = 530810281, ["kiln2"] = 396456062, ["n"] = 10000000, ["torch1"] = 1504895161 },
      },
    },
    [8] = {
      ["family"] = "random",
      ["name"] = "rand",
      ["points"] = {
        [1] = { ["kiln1"] = 1336.8, ["kiln2"] = 1449.3, ["n"] = 1, ["torch1"] = 1874.8 },
        [2] = { ["kiln1"] = 1432.7, ["kiln2"] = 1414.8, ["n"] = 10, ["torch1"] = 3308.4 },
        [3] = { ["kiln1"] = 1650.5, ["kiln2"] = 2012.4, ["n"] = 100, ["torch1"] = 4367.6 },
        [4] = { ["kiln1"] = 2978.9, ["kiln2"] = 2905.4, ["n"] = 1000, ["torch1"] = 10720.8 },
        [5] = { ["kiln1"] = 15924.4, ["kiln2"] = 13486.3, ["n"] = 10000, ["torch1"] = 77360.4 },
        [6] = { ["kiln1"] = 100746.8, ["kiln2"] = 71770.1, ["n"] = 100000, ["torch1"] = 645973.9 },
        [7] = { ["kiln1"] = 1327198.5, ["kiln2"] = 597895.5, ["n"] = 1000000, ["torch1"] = 7053049.5 },
        [8] = { ["kiln1"] = 12801671.5, ["kiln2"] = 5818259.3, ["n"] = 10000000, ["torch1"] = 92203010 },
        [9] = { ["kiln1"] = 678370643, ["kiln2"] = 55847150, ["n"] = 100000000 },
      },
    },
    [9] = {
      ["family"] = "matmul",
      ["name"] = "product",
      ["points"] = {
        [1] = { ["kiln1"] = 513, ["kiln2"] = 724.8, ["n"] = 1, ["torch1"] = 1902.6 },
        [2] = { ["kiln1"] = 618.7, ["kiln2"] = 767.4, ["n"] = 100, ["torch1"] = 1878.7 },
        [3] = { ["kiln1"] = 29530.5, ["kiln2"] = 29454.3, ["n"] = 10000, ["torch1"] = 29858.6 },
        [4] = { ["kiln1"] = 22992744, ["kiln2"] = 11005663.5, ["n"] = 1000000, ["torch1"] = 20399322 },
      },
    },
    [10] = {
      ["family"] = "conv",
      ["name"] = "forward",
      ["points"] = {
        [1] = { ["kiln1"] = 14041.8, ["kiln2"] = 13988.2, ["n"] = 1, ["torch1"] = 7929 },
        [2] = { ["kiln1"] = 14581.7, ["kiln2"] = 14532.4, ["n"] = 100, ["torch1"] = 10188.3 },
        [3] = { ["kiln1"] = 64165, ["kiln2"] = 64998.5, ["n"] = 10000, ["torch1"] = 36461.7 },
        [4] = { ["kiln1"] = 14544376, ["kiln2"] = 14268339, ["n"] = 1000000, ["torch1"] = 52644336 },
        [5] = { ["kiln1"] = 5361446048, ["kiln2"] = 4937892071, ["n"] = 100000000 },
      },
    },
    [11] = {
      ["family"] = "optim",
      ["name"] = "adam",
      ["points"] = {
        [1] = { ["kiln1"] = 5157.8, ["kiln2"] = 3349, ["n"] = 1, ["torch1"] = 79150.9 },
        [2] = { ["kiln1"] = 4060.1, ["kiln2"] = 2833.2, ["n"] = 10, ["torch1"] = 61887.9 },
        [3] = { ["kiln1"] = 3624.8, ["kiln2"] = 3712.7, ["n"] = 100, ["torch1"] = 59750.5 },
        [4] = { ["kiln1"] = 4633.2, ["kiln2"] = 4458.9, ["n"] = 1000, ["torch1"] = 66168.4 },
        [5] = { ["kiln1"] = 8725.1, ["kiln2"] = 8734.7, ["n"] = 10000, ["torch1"] = 77580.3 },
        [6] = { ["kiln1"] = 56086.9, ["kiln2"] = 31131.7, ["n"] = 100000, ["torch1"] = 306390.3 },
        [7] = { ["kiln1"] = 720677, ["kiln2"] = 364844.1, ["n"] = 1000000, ["torch1"] = 2693936.7 },
        [8] = { ["kiln1"] = 12924948, ["kiln2"] = 4267859.7, ["n"] = 10000000, ["torch1"] = 77866262 },
        [9] = { ["kiln1"] = 133353540, ["kiln2"] = 77573635, ["n"] = 100000000 },
      },
    },
    [12] = {
      ["family"] = "fused",
      ["name"] = "expression",
      ["points"] = {
        [1] = { ["kiln1"] = 19124.2, ["kiln2"] = 18938.4, ["n"] = 1, ["torch1"] = 65248.8 },
        [2] = { ["kiln1"] = 20963, ["kiln2"] = 19355.3, ["n"] = 10, ["torch1"] = 63769.9 },
        [3] = { ["kiln1"] = 18956.1, ["kiln2"] = 18793.7, ["n"] = 100, ["torch1"] = 65797.7 },
        [4] = { ["kiln1"] = 22326.2, ["kiln2"] = 22157.3, ["n"] = 1000, ["torch1"] = 66116.2 },
        [5] = { ["kiln1"] = 48174.6, ["kiln2"] = 38414.6, ["n"] = 10000, ["torch1"] = 89988.3 },
        [6] = { ["kiln1"] = 231257.5, ["kiln2"] = 199306.5, ["n"] = 100000, ["torch1"] = 514100.5 },
        [7] = { ["kiln1"] = 2612806.6, ["kiln2"] = 1815281.2, ["n"] = 1000000, ["torch1"] = 7494221.7 },
        [8] = { ["kiln1"] = 34380371, ["kiln2"] = 16388975, ["n"] = 10000000, ["torch1"] = 246020083 },
        [9] = { ["kiln1"] = 307391261, ["kiln2"] = 189307817, ["n"] = 100000000 },
      },
    },
  },
  ["peaks"] = {
    ["training.cnn 64"] = { ["kiln"] = 132528, ["torch"] = 813304 },
    ["training.gpt 6x384x6x8x256"] = { ["kiln"] = 720040, ["torch"] = 1320476 },
    ["training.gru 32x64"] = { ["kiln"] = 98672, ["torch"] = 769676 },
    ["training.lstm 32x64"] = { ["kiln"] = 96040, ["torch"] = 780520 },
    ["training.mlp 64"] = { ["kiln"] = 41616, ["torch"] = 714780 },
    ["training.resnet18 8x64"] = { ["kiln"] = 262916, ["torch"] = 921628 },
  },
  ["seconds"] = 643.6332617,
  ["threads"] = { [1] = 1, [2] = 2 },
  ["versions"] = { ["blas"] = "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY USE_OPENMP SkylakeX MAX_THREADS=64", ["jax"] = "0.10.2", ["kiln"] = "0.1.0", ["luajit"] = "LuaJIT 2.1.0-beta3", ["onednn"] = "2.6.3", ["torch"] = "2.15.0+cu132" },
}
