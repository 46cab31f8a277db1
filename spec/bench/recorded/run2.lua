-- Measured by spec/bench/run.sh.
return {
  ["cases"] = {
    ["conv.batch_norm 32x64x56"] = {
      [1] = {
        ["kiln"] = { ["least"] = 12773789, ["median"] = 14191418.5 },
        ["torch"] = { ["least"] = 27962766, ["median"] = 31310584.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6940608, ["median"] = 9504956.7 },
        ["torch"] = { ["least"] = 16115248, ["median"] = 21603535 },
      },
    },
    ["conv.both 32x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 201294948, ["median"] = 221371947 },
        ["torch"] = { ["least"] = 163715134, ["median"] = 191146950 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 128055939, ["median"] = 132969757 },
        ["torch"] = { ["least"] = 133148004, ["median"] = 139345990 },
      },
    },
    ["conv.both 32x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 27514323, ["median"] = 28685001 },
        ["torch"] = { ["least"] = 40746410, ["median"] = 42808369 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 15493230, ["median"] = 19258388 },
        ["torch"] = { ["least"] = 18636087, ["median"] = 21797277.5 },
      },
    },
    ["conv.both 32x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 133455310, ["median"] = 136075118 },
        ["torch"] = { ["least"] = 143295858, ["median"] = 149586367 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 65724134, ["median"] = 67284945 },
        ["torch"] = { ["least"] = 72419170, ["median"] = 82226378 },
      },
    },
    ["conv.both 32x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 201071350, ["median"] = 224524211 },
        ["torch"] = { ["least"] = 217417457, ["median"] = 222915812 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 122134140, ["median"] = 128721197 },
        ["torch"] = { ["least"] = 123571541, ["median"] = 136854692 },
      },
    },
    ["conv.both 32x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 21017920, ["median"] = 21431876 },
        ["torch"] = { ["least"] = 27320372, ["median"] = 28366421 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 11460234.5, ["median"] = 13874576 },
        ["torch"] = { ["least"] = 14552352, ["median"] = 18317610.5 },
      },
    },
    ["conv.both 32x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 163803125, ["median"] = 165581012 },
        ["torch"] = { ["least"] = 172608111, ["median"] = 173852212 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 89046141, ["median"] = 98459297 },
        ["torch"] = { ["least"] = 87488673, ["median"] = 92417048 },
      },
    },
    ["conv.both 32x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 554468960, ["median"] = 598494433 },
        ["torch"] = { ["least"] = 815665713, ["median"] = 820375138 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 252241658, ["median"] = 270124372 },
        ["torch"] = { ["least"] = 417933217, ["median"] = 448404735 },
      },
    },
    ["conv.both 32x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 196848316, ["median"] = 207588986 },
        ["torch"] = { ["least"] = 207505698, ["median"] = 212099395 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 137606206, ["median"] = 137607783 },
        ["torch"] = { ["least"] = 112599465, ["median"] = 127951730 },
      },
    },
    ["conv.both 32x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 46087446, ["median"] = 50166038 },
        ["torch"] = { ["least"] = 71140632, ["median"] = 73121902 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 19288088, ["median"] = 25078780 },
        ["torch"] = { ["least"] = 40210033, ["median"] = 42021571 },
      },
    },
    ["conv.both 32x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 151455866, ["median"] = 155879592 },
        ["torch"] = { ["least"] = 162162121, ["median"] = 165178107 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 79867699, ["median"] = 80676082 },
        ["torch"] = { ["least"] = 101398667, ["median"] = 107723075 },
      },
    },
    ["conv.both 32x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 316931624, ["median"] = 324102575 },
        ["torch"] = { ["least"] = 360926646, ["median"] = 363746494 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 154259533, ["median"] = 155413648 },
        ["torch"] = { ["least"] = 190860574, ["median"] = 195409236 },
      },
    },
    ["conv.both 8x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 73414682, ["median"] = 73667435 },
        ["torch"] = { ["least"] = 74838568, ["median"] = 75244307 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 38955231, ["median"] = 42903515 },
        ["torch"] = { ["least"] = 40189494, ["median"] = 48000121 },
      },
    },
    ["conv.both 8x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6373970.3, ["median"] = 6725604 },
        ["torch"] = { ["least"] = 8651813.5, ["median"] = 10520763.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3484592, ["median"] = 5184133.1 },
        ["torch"] = { ["least"] = 5253466.3, ["median"] = 6927831 },
      },
    },
    ["conv.both 8x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 41686187, ["median"] = 42290812 },
        ["torch"] = { ["least"] = 41815699, ["median"] = 41819463 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 21901334, ["median"] = 27342769.5 },
        ["torch"] = { ["least"] = 22429488, ["median"] = 26462167.5 },
      },
    },
    ["conv.both 8x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 40526996, ["median"] = 40851397 },
        ["torch"] = { ["least"] = 40484671, ["median"] = 42585552 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 26663545, ["median"] = 31556732 },
        ["torch"] = { ["least"] = 28499492, ["median"] = 30991189.5 },
      },
    },
    ["conv.both 8x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3438091.6, ["median"] = 4172842.5 },
        ["torch"] = { ["least"] = 5202319.7, ["median"] = 5757427.85 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1995494.6, ["median"] = 3318957.8 },
        ["torch"] = { ["least"] = 2992895.4, ["median"] = 3844728.2 },
      },
    },
    ["conv.both 8x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 36195918, ["median"] = 37561722 },
        ["torch"] = { ["least"] = 38649249, ["median"] = 39937436 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 18796213, ["median"] = 22016068 },
        ["torch"] = { ["least"] = 20868019, ["median"] = 24507367 },
      },
    },
    ["conv.both 8x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 146613743, ["median"] = 158843493 },
        ["torch"] = { ["least"] = 164216065, ["median"] = 172479282 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 81521108, ["median"] = 83734516 },
        ["torch"] = { ["least"] = 83696106, ["median"] = 89681207 },
      },
    },
    ["conv.both 8x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 43749047, ["median"] = 47753864 },
        ["torch"] = { ["least"] = 46487381, ["median"] = 47071039 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 21914429, ["median"] = 26868657 },
        ["torch"] = { ["least"] = 23019668, ["median"] = 29499291 },
      },
    },
    ["conv.both 8x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 8897479, ["median"] = 10020694 },
        ["torch"] = { ["least"] = 13315926, ["median"] = 14373301 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5040475.8, ["median"] = 6920260.85 },
        ["torch"] = { ["least"] = 7732465.7, ["median"] = 9689649.35 },
      },
    },
    ["conv.both 8x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 42101286, ["median"] = 42308250 },
        ["torch"] = { ["least"] = 47301693, ["median"] = 47397042 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 21436231, ["median"] = 25961312 },
        ["torch"] = { ["least"] = 23697897, ["median"] = 28319886.5 },
      },
    },
    ["conv.both 8x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 80880348, ["median"] = 82051863 },
        ["torch"] = { ["least"] = 79965212, ["median"] = 80724445 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 40134997, ["median"] = 43129915 },
        ["torch"] = { ["least"] = 39764615, ["median"] = 46095709 },
      },
    },
    ["conv.forward 32x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 88049429, ["median"] = 96933900 },
        ["torch"] = { ["least"] = 74618361, ["median"] = 94561590 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 48131495, ["median"] = 51800932 },
        ["torch"] = { ["least"] = 48484162, ["median"] = 56055554 },
      },
    },
    ["conv.forward 32x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6525816, ["median"] = 8128200.15 },
        ["torch"] = { ["least"] = 8947744, ["median"] = 9595779.75 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3938925.2, ["median"] = 5038591.4 },
        ["torch"] = { ["least"] = 4198132.8, ["median"] = 5720511.85 },
      },
    },
    ["conv.forward 32x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 40527658, ["median"] = 40875248 },
        ["torch"] = { ["least"] = 46114629, ["median"] = 46614354 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 21660625, ["median"] = 25246487 },
        ["torch"] = { ["least"] = 22788609, ["median"] = 29398442.5 },
      },
    },
    ["conv.forward 32x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 67199022, ["median"] = 68324432 },
        ["torch"] = { ["least"] = 64818876, ["median"] = 65520139 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 41984712, ["median"] = 52710766 },
        ["torch"] = { ["least"] = 44291156, ["median"] = 44942130 },
      },
    },
    ["conv.forward 32x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5898948.5, ["median"] = 7048715.5 },
        ["torch"] = { ["least"] = 7083811.3, ["median"] = 7592276.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4059910.8, ["median"] = 5172329.5 },
        ["torch"] = { ["least"] = 4196917.2, ["median"] = 5904450 },
      },
    },
    ["conv.forward 32x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 42866264, ["median"] = 45127743 },
        ["torch"] = { ["least"] = 43979460, ["median"] = 44309997 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 24901706, ["median"] = 28680533 },
        ["torch"] = { ["least"] = 25317013, ["median"] = 28665358 },
      },
    },
    ["conv.forward 32x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 66718596, ["median"] = 70647004 },
        ["torch"] = { ["least"] = 177240039, ["median"] = 183342672 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 38753467, ["median"] = 39462438 },
        ["torch"] = { ["least"] = 125649342, ["median"] = 128001884 },
      },
    },
    ["conv.forward 32x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 57531016, ["median"] = 62845005 },
        ["torch"] = { ["least"] = 58791608, ["median"] = 63101052 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 40301626, ["median"] = 47023880 },
        ["torch"] = { ["least"] = 38788186, ["median"] = 46376452 },
      },
    },
    ["conv.forward 32x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 10588202, ["median"] = 11369379.25 },
        ["torch"] = { ["least"] = 13228005, ["median"] = 13605780.25 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4976020.5, ["median"] = 6220797.7 },
        ["torch"] = { ["least"] = 5196914.7, ["median"] = 8161245 },
      },
    },
    ["conv.forward 32x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 50952537, ["median"] = 52572019 },
        ["torch"] = { ["least"] = 50005166, ["median"] = 50651298 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 25674858, ["median"] = 28610139 },
        ["torch"] = { ["least"] = 25479619, ["median"] = 31508709 },
      },
    },
    ["conv.forward 32x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 85289007, ["median"] = 91012787 },
        ["torch"] = { ["least"] = 68192568, ["median"] = 68660017 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 38189839, ["median"] = 39504653 },
        ["torch"] = { ["least"] = 58286387, ["median"] = 60958341 },
      },
    },
    ["conv.forward 8x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 23616336, ["median"] = 24323004.5 },
        ["torch"] = { ["least"] = 23899799, ["median"] = 24600536 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 12389030, ["median"] = 14438306 },
        ["torch"] = { ["least"] = 12423356, ["median"] = 15598150.75 },
      },
    },
    ["conv.forward 8x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2012678.5, ["median"] = 2226853.25 },
        ["torch"] = { ["least"] = 2150421.9, ["median"] = 2336145.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1069487.2, ["median"] = 1562448.9 },
        ["torch"] = { ["least"] = 1170502.1, ["median"] = 1823395.3 },
      },
    },
    ["conv.forward 8x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 13792342, ["median"] = 14146881.5 },
        ["torch"] = { ["least"] = 11674004.5, ["median"] = 12238500 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6830839.3, ["median"] = 8705730 },
        ["torch"] = { ["least"] = 6302627.3, ["median"] = 8605784.3 },
      },
    },
    ["conv.forward 8x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 21977515, ["median"] = 22053991 },
        ["torch"] = { ["least"] = 21186406, ["median"] = 21605850 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 10868791.5, ["median"] = 12745635.75 },
        ["torch"] = { ["least"] = 10537441, ["median"] = 12717829 },
      },
    },
    ["conv.forward 8x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1172669.2, ["median"] = 1475345.6 },
        ["torch"] = { ["least"] = 1229858.8, ["median"] = 1617792.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 670397, ["median"] = 909419.9 },
        ["torch"] = { ["least"] = 815287.8, ["median"] = 1007600.6 },
      },
    },
    ["conv.forward 8x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7361009, ["median"] = 7968332.75 },
        ["torch"] = { ["least"] = 7596851.3, ["median"] = 7728082 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5283915.7, ["median"] = 7437005.7 },
        ["torch"] = { ["least"] = 5195713, ["median"] = 7242517.2 },
      },
    },
    ["conv.forward 8x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 18114304, ["median"] = 18317808 },
        ["torch"] = { ["least"] = 46402259, ["median"] = 46545126 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 9250027.5, ["median"] = 10203728.5 },
        ["torch"] = { ["least"] = 24262682, ["median"] = 27836627.5 },
      },
    },
    ["conv.forward 8x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 13920569, ["median"] = 15467725 },
        ["torch"] = { ["least"] = 14507808, ["median"] = 15744966 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 9089925, ["median"] = 10721046.5 },
        ["torch"] = { ["least"] = 8933078.5, ["median"] = 11800701 },
      },
    },
    ["conv.forward 8x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2614208.7, ["median"] = 2804290.8 },
        ["torch"] = { ["least"] = 2606493.2, ["median"] = 3072808.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1341938.6, ["median"] = 1946779.7 },
        ["torch"] = { ["least"] = 1453934.8, ["median"] = 2309024.1 },
      },
    },
    ["conv.forward 8x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 12628654, ["median"] = 12739491 },
        ["torch"] = { ["least"] = 13094337, ["median"] = 13709770 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6767669.7, ["median"] = 8908276 },
        ["torch"] = { ["least"] = 7106644.7, ["median"] = 9933582 },
      },
    },
    ["conv.forward 8x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 23646693, ["median"] = 24845877.5 },
        ["torch"] = { ["least"] = 20002714, ["median"] = 20952756.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 11742104, ["median"] = 13915262.5 },
        ["torch"] = { ["least"] = 10244034, ["median"] = 12376309.5 },
      },
    },
    ["conv.max_pool 32x64x56"] = {
      [1] = {
        ["kiln"] = { ["least"] = 32187851, ["median"] = 32952584 },
        ["torch"] = { ["least"] = 85791994, ["median"] = 90655541 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 17749116, ["median"] = 24563517 },
        ["torch"] = { ["least"] = 49560358, ["median"] = 53843650 },
      },
    },
    ["fused.expression 10000000"] = {
      [1] = {
        ["jax"] = { ["least"] = 110726723, ["median"] = 112215972 },
        ["kiln"] = { ["least"] = 37345790, ["median"] = 42539775 },
        ["torch"] = { ["least"] = 306646483, ["median"] = 306987200 },
      },
      [2] = {
        ["jax"] = { ["least"] = 60984738, ["median"] = 65635602 },
        ["kiln"] = { ["least"] = 26316905, ["median"] = 27859742 },
        ["torch"] = { ["least"] = 182838750, ["median"] = 186310375 },
      },
    },
    ["matmul.batched 64x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 375790.8, ["median"] = 385519.7 },
        ["torch"] = { ["least"] = 407395.7, ["median"] = 422613.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 230682.8, ["median"] = 344640.9 },
        ["torch"] = { ["least"] = 224503.8, ["median"] = 322454.3 },
      },
    },
    ["matmul.left_transposed 1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 23796625, ["median"] = 24874758 },
        ["torch"] = { ["least"] = 18851363, ["median"] = 19031760 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 11631113.5, ["median"] = 13017604.75 },
        ["torch"] = { ["least"] = 9472162.5, ["median"] = 10930719.25 },
      },
    },
    ["matmul.product 1024x1024x1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 16277742, ["median"] = 16965127 },
        ["torch"] = { ["least"] = 15583080.5, ["median"] = 16559443.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7880240, ["median"] = 10925457.5 },
        ["torch"] = { ["least"] = 8128588.5, ["median"] = 9733252.75 },
      },
    },
    ["matmul.product 128x128x128"] = {
      [1] = {
        ["kiln"] = { ["least"] = 35106.2, ["median"] = 35778.4 },
        ["torch"] = { ["least"] = 30343.3, ["median"] = 31552.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 22806.3, ["median"] = 33790.7 },
        ["torch"] = { ["least"] = 23253.7, ["median"] = 32521.7 },
      },
    },
    ["matmul.product 1x512x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 177441, ["median"] = 179651.2 },
        ["torch"] = { ["least"] = 182310.7, ["median"] = 186575 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 53441.4, ["median"] = 111702.8 },
        ["torch"] = { ["least"] = 91172.3, ["median"] = 114623.9 },
      },
    },
    ["matmul.product 2048x2048x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 125976109, ["median"] = 126256807 },
        ["torch"] = { ["least"] = 118948094, ["median"] = 121611227 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 106859394, ["median"] = 108599170 },
        ["torch"] = { ["least"] = 107901807, ["median"] = 113402007 },
      },
    },
    ["matmul.product 20x650x2600"] = {
      [1] = {
        ["kiln"] = { ["least"] = 989744.3, ["median"] = 1061819.7 },
        ["torch"] = { ["least"] = 1058776.3, ["median"] = 1106943.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 502483.4, ["median"] = 785871.6 },
        ["torch"] = { ["least"] = 540452.1, ["median"] = 867224.1 },
      },
    },
    ["matmul.product 256x256x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 232231.7, ["median"] = 252730.3 },
        ["torch"] = { ["least"] = 239624, ["median"] = 255172.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 202967.7, ["median"] = 285275.3 },
        ["torch"] = { ["least"] = 208543.8, ["median"] = 281544.7 },
      },
    },
    ["matmul.product 512x512x512"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1930022.9, ["median"] = 1959088 },
        ["torch"] = { ["least"] = 1965850.1, ["median"] = 2075634.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 953022.7, ["median"] = 1365186.8 },
        ["torch"] = { ["least"] = 977754.1, ["median"] = 1322477.6 },
      },
    },
    ["matmul.product 64x64x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 4254.1, ["median"] = 4734.6 },
        ["torch"] = { ["least"] = 5530.6, ["median"] = 6225.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4266.6, ["median"] = 4751.3 },
        ["torch"] = { ["least"] = 9020.5, ["median"] = 9224 },
      },
    },
    ["matmul.product 64x784x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 239313.1, ["median"] = 249774.1 },
        ["torch"] = { ["least"] = 270647.1, ["median"] = 280058.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 127011.9, ["median"] = 172471.1 },
        ["torch"] = { ["least"] = 148580.1, ["median"] = 203379.6 },
      },
    },
    ["matmul.right_transposed 1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 15280884, ["median"] = 18195812 },
        ["torch"] = { ["least"] = 14977644, ["median"] = 17158280 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 9567195.5, ["median"] = 11655335 },
        ["torch"] = { ["least"] = 9920766.5, ["median"] = 11975694 },
      },
    },
    ["movement.add_transposed 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1163783.6, ["median"] = 1293813.7 },
        ["torch"] = { ["least"] = 1644105.9, ["median"] = 1819302.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 641210.6, ["median"] = 920098.6 },
        ["torch"] = { ["least"] = 837575.2, ["median"] = 1230208.8 },
      },
    },
    ["movement.cat 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 372487.8, ["median"] = 423612 },
        ["torch"] = { ["least"] = 475996.2, ["median"] = 566545 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 207842.2, ["median"] = 300152.8 },
        ["torch"] = { ["least"] = 279011.2, ["median"] = 441068.6 },
      },
    },
    ["movement.cumsum 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 971409.2, ["median"] = 995317.2 },
        ["torch"] = { ["least"] = 1234584.5, ["median"] = 1270220.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 713741.7, ["median"] = 729784.7 },
        ["torch"] = { ["least"] = 1199539.2, ["median"] = 1256739.8 },
      },
    },
    ["movement.embedding_backward 50257x384x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 9484748.5, ["median"] = 10878870 },
        ["torch"] = { ["least"] = 52365942, ["median"] = 53005486 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 10495943, ["median"] = 11442924.25 },
        ["torch"] = { ["least"] = 31608591, ["median"] = 31974065.5 },
      },
    },
    ["movement.gather 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1541123.4, ["median"] = 1698827.9 },
        ["torch"] = { ["least"] = 2206901.1, ["median"] = 2568862.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1044361.3, ["median"] = 1715447.3 },
        ["torch"] = { ["least"] = 1191220.9, ["median"] = 1678940.7 },
      },
    },
    ["movement.index_select 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 367065.6, ["median"] = 384231 },
        ["torch"] = { ["least"] = 456373.7, ["median"] = 506326.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 187470.6, ["median"] = 291809.7 },
        ["torch"] = { ["least"] = 232835.3, ["median"] = 362260.3 },
      },
    },
    ["movement.masked_select 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1725575.9, ["median"] = 1805669.2 },
        ["torch"] = { ["least"] = 5012494.5, ["median"] = 5518061.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 994042, ["median"] = 1344868 },
        ["torch"] = { ["least"] = 7163289.7, ["median"] = 9200359 },
      },
    },
    ["movement.sort 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 40936089, ["median"] = 44961110 },
        ["torch"] = { ["least"] = 158674623, ["median"] = 159293604 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 14234029.5, ["median"] = 17426863.5 },
        ["torch"] = { ["least"] = 149218098, ["median"] = 150153803 },
      },
    },
    ["movement.topk 1000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 678363.7, ["median"] = 708957 },
        ["torch"] = { ["least"] = 5401083.3, ["median"] = 6164711.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 671761.6, ["median"] = 702708.1 },
        ["torch"] = { ["least"] = 5194811, ["median"] = 5964512 },
      },
    },
    ["movement.transposed 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 945414.9, ["median"] = 1016899.6 },
        ["torch"] = { ["least"] = 1510318.7, ["median"] = 2613908.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 504496.6, ["median"] = 547577.4 },
        ["torch"] = { ["least"] = 1409669.8, ["median"] = 2365048.1 },
      },
    },
    ["optim.adam 10000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 13223293.5, ["median"] = 13986440.25 },
        ["torch"] = { ["least"] = 31267007, ["median"] = 32784184 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7674267.3, ["median"] = 10046602.3 },
        ["torch"] = { ["least"] = 20775126, ["median"] = 27245593 },
      },
    },
    ["optim.adam_fused 10000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 13607096, ["median"] = 13861679.5 },
        ["torch"] = { ["least"] = 15052548, ["median"] = 15271843 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8436956, ["median"] = 11736962.5 },
        ["torch"] = { ["least"] = 9592365, ["median"] = 12600919 },
      },
    },
    ["pointwise.add 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 866.7, ["median"] = 988.6 },
        ["torch"] = { ["least"] = 1414, ["median"] = 1828.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 879.5, ["median"] = 936.7 },
        ["torch"] = { ["least"] = 1368.4, ["median"] = 1410.7 },
      },
    },
    ["pointwise.add 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 48149.7, ["median"] = 63452 },
        ["torch"] = { ["least"] = 27877.1, ["median"] = 28862.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 28631.5, ["median"] = 44241.5 },
        ["torch"] = { ["least"] = 15544.8, ["median"] = 22041.7 },
      },
    },
    ["pointwise.add 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 411073.3, ["median"] = 432449.5 },
        ["torch"] = { ["least"] = 521385.9, ["median"] = 545092.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 429076.7, ["median"] = 609930.4 },
        ["torch"] = { ["least"] = 542960.1, ["median"] = 794470.7 },
      },
    },
    ["pointwise.add 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 9028499.5, ["median"] = 9449412.5 },
        ["torch"] = { ["least"] = 29801792, ["median"] = 30883706 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2873802.2, ["median"] = 5086701.1 },
        ["torch"] = { ["least"] = 18098065, ["median"] = 21596407 },
      },
    },
    ["pointwise.add_column 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1075.2, ["median"] = 1192.1 },
        ["torch"] = { ["least"] = 1779.8, ["median"] = 1891.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1077.6, ["median"] = 1119.4 },
        ["torch"] = { ["least"] = 1828.6, ["median"] = 1908.9 },
      },
    },
    ["pointwise.add_column 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 56015.2, ["median"] = 68528.8 },
        ["torch"] = { ["least"] = 17306.9, ["median"] = 17711.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 31460.3, ["median"] = 52026.3 },
        ["torch"] = { ["least"] = 10670.7, ["median"] = 13461.1 },
      },
    },
    ["pointwise.add_column 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 488181, ["median"] = 521587.5 },
        ["torch"] = { ["least"] = 422376.3, ["median"] = 451183.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 249160.1, ["median"] = 341751.9 },
        ["torch"] = { ["least"] = 217947.4, ["median"] = 303500.5 },
      },
    },
    ["pointwise.add_column 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3330508.4, ["median"] = 4317961 },
        ["torch"] = { ["least"] = 20320699, ["median"] = 20471319 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2146836.8, ["median"] = 2526643 },
        ["torch"] = { ["least"] = 14975688, ["median"] = 18134910 },
      },
    },
    ["pointwise.add_in_place 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 243, ["median"] = 320.5 },
        ["torch"] = { ["least"] = 1982, ["median"] = 2123.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 350.5, ["median"] = 354.7 },
        ["torch"] = { ["least"] = 2158.6, ["median"] = 2202.6 },
      },
    },
    ["pointwise.add_in_place 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 10958.3, ["median"] = 11371.6 },
        ["torch"] = { ["least"] = 11786.6, ["median"] = 12192.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7072.7, ["median"] = 9983.5 },
        ["torch"] = { ["least"] = 9028.2, ["median"] = 11946.5 },
      },
    },
    ["pointwise.add_in_place 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 372627.2, ["median"] = 398086.9 },
        ["torch"] = { ["least"] = 380745.8, ["median"] = 399884.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 196898.1, ["median"] = 284763 },
        ["torch"] = { ["least"] = 229026.9, ["median"] = 312704.6 },
      },
    },
    ["pointwise.add_in_place 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5748324.7, ["median"] = 6014705.8 },
        ["torch"] = { ["least"] = 7570688, ["median"] = 8450379.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1875437.4, ["median"] = 2463242 },
        ["torch"] = { ["least"] = 1911190.7, ["median"] = 3587889.3 },
      },
    },
    ["pointwise.add_row 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 973.3, ["median"] = 1022.9 },
        ["torch"] = { ["least"] = 1545.5, ["median"] = 1577.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1043.8, ["median"] = 1230.1 },
        ["torch"] = { ["least"] = 1729.4, ["median"] = 1982.8 },
      },
    },
    ["pointwise.add_row 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 43404.7, ["median"] = 55028 },
        ["torch"] = { ["least"] = 17980.3, ["median"] = 18370.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 27109.1, ["median"] = 40735.5 },
        ["torch"] = { ["least"] = 12229.7, ["median"] = 16537.2 },
      },
    },
    ["pointwise.add_row 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 370540.5, ["median"] = 402664 },
        ["torch"] = { ["least"] = 373093.3, ["median"] = 400761 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 201996.5, ["median"] = 325513.5 },
        ["torch"] = { ["least"] = 209739, ["median"] = 317836.8 },
      },
    },
    ["pointwise.add_row 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3577076.8, ["median"] = 4375139.4 },
        ["torch"] = { ["least"] = 20709187, ["median"] = 20996306 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2223303, ["median"] = 2705463.3 },
        ["torch"] = { ["least"] = 14919696, ["median"] = 16146532 },
      },
    },
    ["pointwise.exp 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 903.6, ["median"] = 1042.1 },
        ["torch"] = { ["least"] = 1641.7, ["median"] = 3164.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1205.2, ["median"] = 1258.2 },
        ["torch"] = { ["least"] = 4653.1, ["median"] = 4870.7 },
      },
    },
    ["pointwise.exp 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 54077.9, ["median"] = 63575.1 },
        ["torch"] = { ["least"] = 22178.1, ["median"] = 22957 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 40333.4, ["median"] = 72694.4 },
        ["torch"] = { ["least"] = 19053.3, ["median"] = 27999.8 },
      },
    },
    ["pointwise.exp 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 351357.8, ["median"] = 371127.6 },
        ["torch"] = { ["least"] = 383339.8, ["median"] = 410515.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 272897.1, ["median"] = 398448.4 },
        ["torch"] = { ["least"] = 226595.6, ["median"] = 344404.4 },
      },
    },
    ["pointwise.exp 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3210016, ["median"] = 3924967.2 },
        ["torch"] = { ["least"] = 20790873, ["median"] = 21060038 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2825316.3, ["median"] = 3597043.4 },
        ["torch"] = { ["least"] = 14858339, ["median"] = 15443941.5 },
      },
    },
    ["pointwise.gelu 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1880.3, ["median"] = 1971.5 },
        ["torch"] = { ["least"] = 17363.1, ["median"] = 17831.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1957.9, ["median"] = 2018 },
        ["torch"] = { ["least"] = 20478, ["median"] = 21037.8 },
      },
    },
    ["pointwise.gelu 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 95127.2, ["median"] = 103246.4 },
        ["torch"] = { ["least"] = 46867.6, ["median"] = 49881 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 64916.6, ["median"] = 103817.9 },
        ["torch"] = { ["least"] = 37681, ["median"] = 54202.7 },
      },
    },
    ["pointwise.gelu 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 678696.9, ["median"] = 749565.8 },
        ["torch"] = { ["least"] = 512254, ["median"] = 600796.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 534708.4, ["median"] = 796415.8 },
        ["torch"] = { ["least"] = 364435.6, ["median"] = 559352.6 },
      },
    },
    ["pointwise.gelu 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6289546.5, ["median"] = 6778198 },
        ["torch"] = { ["least"] = 22986559, ["median"] = 27351223.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3033316.7, ["median"] = 4286199.7 },
        ["torch"] = { ["least"] = 12607932, ["median"] = 16347036 },
      },
    },
    ["pointwise.mul 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1007.2, ["median"] = 1019.5 },
        ["torch"] = { ["least"] = 2530.8, ["median"] = 2577.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 891.6, ["median"] = 987 },
        ["torch"] = { ["least"] = 1474.2, ["median"] = 1595 },
      },
    },
    ["pointwise.mul 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 45991.8, ["median"] = 54635.3 },
        ["torch"] = { ["least"] = 25898.8, ["median"] = 27087.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 28157.4, ["median"] = 39077.8 },
        ["torch"] = { ["least"] = 13030.4, ["median"] = 17026.9 },
      },
    },
    ["pointwise.mul 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 429362.8, ["median"] = 449632.9 },
        ["torch"] = { ["least"] = 541531.6, ["median"] = 606587.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 229005.2, ["median"] = 319834.4 },
        ["torch"] = { ["least"] = 277979.9, ["median"] = 392616.7 },
      },
    },
    ["pointwise.mul 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6577797.2, ["median"] = 7580498.1 },
        ["torch"] = { ["least"] = 23349064, ["median"] = 23481027.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2907561.7, ["median"] = 4643509.75 },
        ["torch"] = { ["least"] = 15232189, ["median"] = 18233087.5 },
      },
    },
    ["pointwise.relu 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 826.9, ["median"] = 915.9 },
        ["torch"] = { ["least"] = 1262.3, ["median"] = 1335 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 841.2, ["median"] = 890.4 },
        ["torch"] = { ["least"] = 1319.4, ["median"] = 1430.7 },
      },
    },
    ["pointwise.relu 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 28780.3, ["median"] = 34938.6 },
        ["torch"] = { ["least"] = 12691.4, ["median"] = 13172.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 19320.3, ["median"] = 29247.4 },
        ["torch"] = { ["least"] = 9266.6, ["median"] = 13477.5 },
      },
    },
    ["pointwise.relu 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 311351.6, ["median"] = 334329.9 },
        ["torch"] = { ["least"] = 391186.4, ["median"] = 407942.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 195060.4, ["median"] = 288889.1 },
        ["torch"] = { ["least"] = 222378.8, ["median"] = 348989.8 },
      },
    },
    ["pointwise.relu 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3174526.8, ["median"] = 4068407.2 },
        ["torch"] = { ["least"] = 23490554, ["median"] = 23991766 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1881195.1, ["median"] = 2124273.1 },
        ["torch"] = { ["least"] = 14484023.5, ["median"] = 17720555 },
      },
    },
    ["pointwise.sigmoid 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1353, ["median"] = 1388.5 },
        ["torch"] = { ["least"] = 3511.9, ["median"] = 3720.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1103.5, ["median"] = 1199.6 },
        ["torch"] = { ["least"] = 3595.6, ["median"] = 3716.4 },
      },
    },
    ["pointwise.sigmoid 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 63379.2, ["median"] = 77311.6 },
        ["torch"] = { ["least"] = 49232.6, ["median"] = 52980.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 45877.7, ["median"] = 71227 },
        ["torch"] = { ["least"] = 36469.4, ["median"] = 54983.5 },
      },
    },
    ["pointwise.sigmoid 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 409062.8, ["median"] = 478040.6 },
        ["torch"] = { ["least"] = 578394.4, ["median"] = 668972.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 329511.9, ["median"] = 451784.4 },
        ["torch"] = { ["least"] = 403432.3, ["median"] = 583359 },
      },
    },
    ["pointwise.sigmoid 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5458162.5, ["median"] = 5716559.7 },
        ["torch"] = { ["least"] = 28884556, ["median"] = 29023623 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2890623.3, ["median"] = 3530358.6 },
        ["torch"] = { ["least"] = 15129052, ["median"] = 15670585 },
      },
    },
    ["pointwise.tanh 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1187.6, ["median"] = 1245.8 },
        ["torch"] = { ["least"] = 3234.1, ["median"] = 3413.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1102.8, ["median"] = 1166.8 },
        ["torch"] = { ["least"] = 4831.4, ["median"] = 5140.9 },
      },
    },
    ["pointwise.tanh 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 60327.1, ["median"] = 71718.7 },
        ["torch"] = { ["least"] = 36394.3, ["median"] = 39387.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 35805.6, ["median"] = 53106.2 },
        ["torch"] = { ["least"] = 22704.8, ["median"] = 31065.2 },
      },
    },
    ["pointwise.tanh 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 629411.9, ["median"] = 642159.9 },
        ["torch"] = { ["least"] = 685605.7, ["median"] = 704750.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 336165.2, ["median"] = 447712.9 },
        ["torch"] = { ["least"] = 344975.1, ["median"] = 481920.7 },
      },
    },
    ["pointwise.tanh 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5259052.3, ["median"] = 5655480.3 },
        ["torch"] = { ["least"] = 28135713, ["median"] = 28244142 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2842459.2, ["median"] = 3192738.25 },
        ["torch"] = { ["least"] = 14523596, ["median"] = 15783687 },
      },
    },
    ["pointwise.where 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1277.3, ["median"] = 1339.5 },
        ["torch"] = { ["least"] = 5543.7, ["median"] = 5638.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1334, ["median"] = 1354.5 },
        ["torch"] = { ["least"] = 5776.5, ["median"] = 5869.3 },
      },
    },
    ["pointwise.where 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 31002.9, ["median"] = 46811.1 },
        ["torch"] = { ["least"] = 171706.9, ["median"] = 174190.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 20469.9, ["median"] = 39086.2 },
        ["torch"] = { ["least"] = 97144.9, ["median"] = 146592.3 },
      },
    },
    ["pointwise.where 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 780157.4, ["median"] = 867424.7 },
        ["torch"] = { ["least"] = 1917895.1, ["median"] = 2502162.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 446461.6, ["median"] = 635512.9 },
        ["torch"] = { ["least"] = 1291187.3, ["median"] = 1863824.2 },
      },
    },
    ["pointwise.where 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 9783678.5, ["median"] = 10266461 },
        ["torch"] = { ["least"] = 36958122, ["median"] = 37259120 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5696579.5, ["median"] = 7419685.95 },
        ["torch"] = { ["least"] = 27023017, ["median"] = 30110886 },
      },
    },
    ["random.bernoulli 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1541924.6, ["median"] = 1597059 },
        ["torch"] = { ["least"] = 19022900, ["median"] = 19568544 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 910945.4, ["median"] = 984530.5 },
        ["torch"] = { ["least"] = 19463736, ["median"] = 20092803 },
      },
    },
    ["random.rand 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 993571.5, ["median"] = 1034037.2 },
        ["torch"] = { ["least"] = 7406016, ["median"] = 7616212 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 542675.7, ["median"] = 575354.45 },
        ["torch"] = { ["least"] = 7605871.3, ["median"] = 7807410.2 },
      },
    },
    ["random.randn 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1583695, ["median"] = 1677538.2 },
        ["torch"] = { ["least"] = 7036907.7, ["median"] = 7094647 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 851732.9, ["median"] = 872489 },
        ["torch"] = { ["least"] = 7123490, ["median"] = 7193796 },
      },
    },
    ["random.randperm 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6486003.7, ["median"] = 6658148.7 },
        ["torch"] = { ["least"] = 16737916.5, ["median"] = 20083971 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5364250.3, ["median"] = 5497888.3 },
        ["torch"] = { ["least"] = 11257798, ["median"] = 12023726 },
      },
    },
    ["reduce.layer_norm 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 627123.4, ["median"] = 641784.3 },
        ["torch"] = { ["least"] = 654443.1, ["median"] = 711735 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 313266.3, ["median"] = 399930.7 },
        ["torch"] = { ["least"] = 324170, ["median"] = 410999.9 },
      },
    },
    ["reduce.layer_norm 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2533608, ["median"] = 2769949.95 },
        ["torch"] = { ["least"] = 3671912.6, ["median"] = 4070914.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1316833.2, ["median"] = 1899001 },
        ["torch"] = { ["least"] = 1497463.3, ["median"] = 2326168.6 },
      },
    },
    ["reduce.log_softmax 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1213820.6, ["median"] = 1260943.6 },
        ["torch"] = { ["least"] = 1153625.5, ["median"] = 1305112.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 696176.9, ["median"] = 860054.1 },
        ["torch"] = { ["least"] = 625826.7, ["median"] = 977790.1 },
      },
    },
    ["reduce.log_softmax 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 4276439.5, ["median"] = 4547769.15 },
        ["torch"] = { ["least"] = 5856095.3, ["median"] = 6133461.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2165187.4, ["median"] = 3105893.4 },
        ["torch"] = { ["least"] = 2571045.9, ["median"] = 3645457 },
      },
    },
    ["reduce.logsumexp 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 901117.3, ["median"] = 916771.2 },
        ["torch"] = { ["least"] = 1160512.5, ["median"] = 1213313.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 443380.3, ["median"] = 635882.3 },
        ["torch"] = { ["least"] = 606486.3, ["median"] = 847144.4 },
      },
    },
    ["reduce.logsumexp 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2566930.8, ["median"] = 2804500.7 },
        ["torch"] = { ["least"] = 6746756.3, ["median"] = 7302487.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1332553, ["median"] = 1944997.7 },
        ["torch"] = { ["least"] = 2209944.1, ["median"] = 3611287.1 },
      },
    },
    ["reduce.max 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 448535, ["median"] = 470693.5 },
        ["torch"] = { ["least"] = 1890035.4, ["median"] = 1988148.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 204234.5, ["median"] = 290167.4 },
        ["torch"] = { ["least"] = 989632.3, ["median"] = 1262474.9 },
      },
    },
    ["reduce.max 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 845443.1, ["median"] = 915249.7 },
        ["torch"] = { ["least"] = 3353090.5, ["median"] = 3639350.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 700748.1, ["median"] = 1041704.6 },
        ["torch"] = { ["least"] = 3725089.8, ["median"] = 5029354.5 },
      },
    },
    ["reduce.mean 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 189636.6, ["median"] = 219209.7 },
        ["torch"] = { ["least"] = 213725.1, ["median"] = 222299.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 64576.5, ["median"] = 97176.2 },
        ["torch"] = { ["least"] = 82373.4, ["median"] = 123112.1 },
      },
    },
    ["reduce.mean 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 612237.5, ["median"] = 656767.6 },
        ["torch"] = { ["least"] = 678626.3, ["median"] = 705360.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 337448.3, ["median"] = 489717.2 },
        ["torch"] = { ["least"] = 390845.4, ["median"] = 557055.5 },
      },
    },
    ["reduce.softmax 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1208629, ["median"] = 1239028.1 },
        ["torch"] = { ["least"] = 986668.4, ["median"] = 1057704.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 663274.3, ["median"] = 774657.9 },
        ["torch"] = { ["least"] = 577839.2, ["median"] = 696972.6 },
      },
    },
    ["reduce.softmax 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 4348380, ["median"] = 4476947.45 },
        ["torch"] = { ["least"] = 4767354.8, ["median"] = 5058724.65 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2096370.4, ["median"] = 3280453.6 },
        ["torch"] = { ["least"] = 2292817.4, ["median"] = 3007702.5 },
      },
    },
    ["reduce.sum 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 173841.4, ["median"] = 182576.6 },
        ["torch"] = { ["least"] = 205357.7, ["median"] = 251945 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 69917.5, ["median"] = 111743.9 },
        ["torch"] = { ["least"] = 91219.3, ["median"] = 152949.5 },
      },
    },
    ["reduce.sum 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 564681.7, ["median"] = 624018.3 },
        ["torch"] = { ["least"] = 653307, ["median"] = 736565.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 292658.1, ["median"] = 434711.5 },
        ["torch"] = { ["least"] = 339560.8, ["median"] = 475939.2 },
      },
    },
    ["reduce.sum_of_columns 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 178781.5, ["median"] = 219171.7 },
        ["torch"] = { ["least"] = 220672.4, ["median"] = 245479.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 61566.1, ["median"] = 126061 },
        ["torch"] = { ["least"] = 89762.9, ["median"] = 149344.7 },
      },
    },
    ["reduce.sum_of_columns 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 644402.7, ["median"] = 693630.8 },
        ["torch"] = { ["least"] = 654946.2, ["median"] = 688702.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 383119.8, ["median"] = 518658.6 },
        ["torch"] = { ["least"] = 366615.6, ["median"] = 508779.7 },
      },
    },
    ["reduce.sum_of_rows 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 196439, ["median"] = 235352 },
        ["torch"] = { ["least"] = 197097.4, ["median"] = 236576.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 96694.6, ["median"] = 144460.4 },
        ["torch"] = { ["least"] = 80299.1, ["median"] = 133725.9 },
      },
    },
    ["reduce.sum_of_rows 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 599388.6, ["median"] = 637371.6 },
        ["torch"] = { ["least"] = 666589.1, ["median"] = 725732.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 344529.3, ["median"] = 521991.7 },
        ["torch"] = { ["least"] = 353924.7, ["median"] = 549420.4 },
      },
    },
    ["reduce.var 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 250929.4, ["median"] = 256187.9 },
        ["torch"] = { ["least"] = 1723850.8, ["median"] = 1761916.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 104841.4, ["median"] = 152728.7 },
        ["torch"] = { ["least"] = 851130, ["median"] = 1222295.8 },
      },
    },
    ["reduce.var 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 856565.2, ["median"] = 920641.55 },
        ["torch"] = { ["least"] = 5743959.7, ["median"] = 6036193.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 450593.4, ["median"] = 678503.7 },
        ["torch"] = { ["least"] = 2976224, ["median"] = 4628160.2 },
      },
    },
    ["small.add 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 141.9, ["median"] = 297.9 },
        ["torch"] = { ["least"] = 1480.9, ["median"] = 1568.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 163.3, ["median"] = 290.6 },
        ["torch"] = { ["least"] = 1438.4, ["median"] = 1507.1 },
      },
    },
    ["small.add_grad 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 365, ["median"] = 456.1 },
        ["torch"] = { ["least"] = 2073.2, ["median"] = 2199 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 353.9, ["median"] = 415 },
        ["torch"] = { ["least"] = 2124.4, ["median"] = 2159.4 },
      },
    },
    ["small.chain 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 23663.7, ["median"] = 25603 },
        ["torch"] = { ["least"] = 165599.7, ["median"] = 169567.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 20163.2, ["median"] = 27428.6 },
        ["torch"] = { ["least"] = 159450.7, ["median"] = 165714.3 },
      },
    },
    ["small.select 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 219.3, ["median"] = 265.3 },
        ["torch"] = { ["least"] = 935, ["median"] = 975.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 200.3, ["median"] = 259 },
        ["torch"] = { ["least"] = 961.7, ["median"] = 987.6 },
      },
    },
    ["small.view 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 279.6, ["median"] = 398.7 },
        ["torch"] = { ["least"] = 1849.7, ["median"] = 1889.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 213.9, ["median"] = 236.6 },
        ["torch"] = { ["least"] = 917.2, ["median"] = 934.4 },
      },
    },
    ["small.zero 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 172.4, ["median"] = 178.6 },
        ["torch"] = { ["least"] = 382.3, ["median"] = 392 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 299, ["median"] = 304.4 },
        ["torch"] = { ["least"] = 733.6, ["median"] = 758.1 },
      },
    },
    ["start"] = {
      [1] = {
        ["kiln"] = { ["least"] = 24571234, ["median"] = 31248611 },
        ["torch"] = { ["least"] = 2499808904, ["median"] = 2847615471 },
      },
    },
    ["training.cnn 64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 97923466, ["median"] = 101634278 },
        ["torch"] = { ["least"] = 130222283, ["median"] = 131760392 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 45911131, ["median"] = 51911737 },
        ["torch"] = { ["least"] = 61685611, ["median"] = 62190919 },
      },
    },
    ["training.gpt 6x384x6x8x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1335801246, ["median"] = 1613471846 },
        ["torch"] = { ["least"] = 1370437780, ["median"] = 1520291434 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 616757976, ["median"] = 622007296 },
        ["torch"] = { ["least"] = 661452549, ["median"] = 682807698 },
      },
    },
    ["training.gru 32x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 49099744, ["median"] = 50066754 },
        ["torch"] = { ["least"] = 82772659, ["median"] = 82797489 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 26781732, ["median"] = 30725099 },
        ["torch"] = { ["least"] = 62096034, ["median"] = 63378368 },
      },
    },
    ["training.lstm 32x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 64236406, ["median"] = 68438407 },
        ["torch"] = { ["least"] = 73222513, ["median"] = 73600618 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 34698399, ["median"] = 35719831 },
        ["torch"] = { ["least"] = 44675115, ["median"] = 44844291 },
      },
    },
    ["training.mlp 64"] = {
      [1] = {
        ["jax"] = { ["least"] = 1163660.4, ["median"] = 1475074 },
        ["kiln"] = { ["least"] = 1045466.1, ["median"] = 1375421.4 },
        ["torch"] = { ["least"] = 2754164.2, ["median"] = 3738287.4 },
      },
      [2] = {
        ["jax"] = { ["least"] = 1068184.1, ["median"] = 1537476.6 },
        ["kiln"] = { ["least"] = 888739.5, ["median"] = 1202918.6 },
        ["torch"] = { ["least"] = 2863569.1, ["median"] = 3269666.15 },
      },
    },
    ["training.resnet18 8x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 165978732, ["median"] = 167782057 },
        ["torch"] = { ["least"] = 189550189, ["median"] = 192387756 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 87462226, ["median"] = 95949238 },
        ["torch"] = { ["least"] = 107127661, ["median"] = 115316387 },
      },
    },
  },
  ["cores"] = 2,
  ["cpu"] = "Intel(R) Xeon(R) Processor",
  ["date"] = "2026-11-30 20:13 UTC",
  ["features"] = { [1] = "avx2", [2] = "avx512f", [3] = "avx512_bf16", [4] = "amx_bf16" },
  ["growth"] = {
    [1] = {
      ["family"] = "pointwise",
      ["name"] = "add",
      ["points"] = {
        [1] = { ["kiln1"] = 217.7, ["kiln2"] = 234.6, ["n"] = 1, ["torch1"] = 2349.9 },
        [2] = { ["kiln1"] = 257.1, ["kiln2"] = 223.3, ["n"] = 10, ["torch1"] = 2759.9 },
        [3] = { ["kiln1"] = 289.9, ["kiln2"] = 344.1, ["n"] = 100, ["torch1"] = 2621.1 },
        [4] = { ["kiln1"] = 703.4, ["kiln2"] = 692.6, ["n"] = 1000, ["torch1"] = 1458.1 },
        [5] = { ["kiln1"] = 3695.3, ["kiln2"] = 3160.1, ["n"] = 10000, ["torch1"] = 4315.8 },
        [6] = { ["kiln1"] = 33974.3, ["kiln2"] = 23142.6, ["n"] = 100000, ["torch1"] = 22787.8 },
        [7] = { ["kiln1"] = 417532.1, ["kiln2"] = 247099.4, ["n"] = 1000000, ["torch1"] = 533793.8 },
        [8] = { ["kiln1"] = 5020231.5, ["kiln2"] = 2282878, ["n"] = 10000000, ["torch1"] = 27218293 },
        [9] = { ["kiln1"] = 67590228, ["kiln2"] = 35401325, ["n"] = 100000000 },
      },
    },
    [2] = {
      ["family"] = "pointwise",
      ["name"] = "exp",
      ["points"] = {
        [1] = { ["kiln1"] = 261.7, ["kiln2"] = 246.1, ["n"] = 1, ["torch1"] = 2466.1 },
        [2] = { ["kiln1"] = 282.3, ["kiln2"] = 245.7, ["n"] = 10, ["torch1"] = 2402.2 },
        [3] = { ["kiln1"] = 521, ["kiln2"] = 194.8, ["n"] = 100, ["torch1"] = 2871.8 },
        [4] = { ["kiln1"] = 1011.6, ["kiln2"] = 948.7, ["n"] = 1000, ["torch1"] = 1507.4 },
        [5] = { ["kiln1"] = 7004.5, ["kiln2"] = 5956.1, ["n"] = 10000, ["torch1"] = 5929 },
        [6] = { ["kiln1"] = 90399.2, ["kiln2"] = 39251.8, ["n"] = 100000, ["torch1"] = 36850.9 },
        [7] = { ["kiln1"] = 312304, ["kiln2"] = 250842.1, ["n"] = 1000000, ["torch1"] = 359963 },
        [8] = { ["kiln1"] = 4509194.5, ["kiln2"] = 2496146.2, ["n"] = 10000000, ["torch1"] = 28048095 },
        [9] = { ["kiln1"] = 47325631, ["kiln2"] = 31896499, ["n"] = 100000000 },
      },
    },
    [3] = {
      ["family"] = "reduce",
      ["name"] = "sum",
      ["points"] = {
        [1] = { ["kiln1"] = 506.2, ["kiln2"] = 468.7, ["n"] = 1, ["torch1"] = 3109.1 },
        [2] = { ["kiln1"] = 505.6, ["kiln2"] = 524.2, ["n"] = 10, ["torch1"] = 3533.9 },
        [3] = { ["kiln1"] = 338.7, ["kiln2"] = 571.1, ["n"] = 100, ["torch1"] = 2109.7 },
        [4] = { ["kiln1"] = 347.2, ["kiln2"] = 524.3, ["n"] = 1000, ["torch1"] = 2101.2 },
        [5] = { ["kiln1"] = 1171.3, ["kiln2"] = 896.7, ["n"] = 10000, ["torch1"] = 3696.2 },
        [6] = { ["kiln1"] = 7958, ["kiln2"] = 7287.4, ["n"] = 100000, ["torch1"] = 9384.8 },
        [7] = { ["kiln1"] = 173108.4, ["kiln2"] = 62978.9, ["n"] = 1000000, ["torch1"] = 180749.1 },
        [8] = { ["kiln1"] = 1813613.7, ["kiln2"] = 934295.9, ["n"] = 10000000, ["torch1"] = 1782141.3 },
        [9] = { ["kiln1"] = 31754406, ["kiln2"] = 18668748, ["n"] = 100000000 },
      },
    },
    [4] = {
      ["family"] = "reduce",
      ["name"] = "softmax",
      ["points"] = {
        [1] = { ["kiln1"] = 379.2, ["kiln2"] = 543.4, ["n"] = 1, ["torch1"] = 1515.7 },
        [2] = { ["kiln1"] = 484.7, ["kiln2"] = 531.7, ["n"] = 10, ["torch1"] = 1463.8 },
        [3] = { ["kiln1"] = 604.5, ["kiln2"] = 583.5, ["n"] = 100, ["torch1"] = 1894.6 },
        [4] = { ["kiln1"] = 1706, ["kiln2"] = 1632.2, ["n"] = 1000, ["torch1"] = 4025.1 },
        [5] = { ["kiln1"] = 9626.1, ["kiln2"] = 7121.2, ["n"] = 10000, ["torch1"] = 8232 },
        [6] = { ["kiln1"] = 95694.4, ["kiln2"] = 57724.7, ["n"] = 100000, ["torch1"] = 69790.8 },
        [7] = { ["kiln1"] = 910993.3, ["kiln2"] = 807050.4, ["n"] = 1000000, ["torch1"] = 712786.5 },
        [8] = { ["kiln1"] = 10298256.5, ["kiln2"] = 7747029, ["n"] = 10000000, ["torch1"] = 27558810 },
        [9] = { ["kiln1"] = 101492980, ["kiln2"] = 83757203, ["n"] = 100000000 },
      },
    },
    [5] = {
      ["family"] = "movement",
      ["name"] = "transposed",
      ["points"] = {
        [1] = { ["kiln1"] = 3.7, ["kiln2"] = 3.5, ["n"] = 1, ["torch1"] = 133.2 },
        [2] = { ["kiln1"] = 307.5, ["kiln2"] = 467.8, ["n"] = 100, ["torch1"] = 2058.3 },
        [3] = { ["kiln1"] = 13671.3, ["kiln2"] = 13205.6, ["n"] = 10000, ["torch1"] = 13932.6 },
        [4] = { ["kiln1"] = 827105.5, ["kiln2"] = 421724.6, ["n"] = 1000000, ["torch1"] = 1231669 },
        [5] = { ["kiln1"] = 128825302, ["kiln2"] = 62673101, ["n"] = 100000000 },
      },
    },
    [6] = {
      ["family"] = "movement",
      ["name"] = "cumsum",
      ["points"] = {
        [1] = { ["kiln1"] = 578.1, ["kiln2"] = 209.8, ["n"] = 1, ["torch1"] = 3288.2 },
        [2] = { ["kiln1"] = 299, ["kiln2"] = 314.2, ["n"] = 10, ["torch1"] = 1585.1 },
        [3] = { ["kiln1"] = 810.7, ["kiln2"] = 858.7, ["n"] = 100, ["torch1"] = 3463.3 },
        [4] = { ["kiln1"] = 4140.1, ["kiln2"] = 4208.4, ["n"] = 1000, ["torch1"] = 4365 },
        [5] = { ["kiln1"] = 8945.9, ["kiln2"] = 7826.2, ["n"] = 10000, ["torch1"] = 14200.6 },
        [6] = { ["kiln1"] = 70687.1, ["kiln2"] = 57667.7, ["n"] = 100000, ["torch1"] = 111750.1 },
        [7] = { ["kiln1"] = 844954, ["kiln2"] = 617331.8, ["n"] = 1000000, ["torch1"] = 1132531.8 },
        [8] = { ["kiln1"] = 12106403, ["kiln2"] = 7948654, ["n"] = 10000000, ["torch1"] = 33156802 },
        [9] = { ["kiln1"] = 117174396, ["kiln2"] = 73473614, ["n"] = 100000000 },
      },
    },
    [7] = {
      ["family"] = "movement",
      ["name"] = "sort",
      ["points"] = {
        [1] = { ["kiln1"] = 508.9, ["kiln2"] = 479.1, ["n"] = 1, ["torch1"] = 3709.9 },
        [2] = { ["kiln1"] = 677.1, ["kiln2"] = 547.1, ["n"] = 10, ["torch1"] = 5192.4 },
        [3] = { ["kiln1"] = 3010.4, ["kiln2"] = 2902.6, ["n"] = 100, ["torch1"] = 5794.7 },
        [4] = { ["kiln1"] = 16062.1, ["kiln2"] = 20239.4, ["n"] = 1000, ["torch1"] = 25282.6 },
        [5] = { ["kiln1"] = 126933.1, ["kiln2"] = 122762.1, ["n"] = 10000, ["torch1"] = 659451.6 },
        [6] = { ["kiln1"] = 2533266.8, ["kiln2"] = 1408008.7, ["n"] = 100000, ["torch1"] = 10979601.5 },
        [7] = { ["kiln1"] = 39815360, ["kiln2"] = 15653225, ["n"] = 1000000, ["torch1"] = 121211222 },
        [8] = { ["kiln1"] = 663635282, ["kiln2"] = 313966269, ["n"] = 10000000, ["torch1"] = 1400598389 },
      },
    },
    [8] = {
      ["family"] = "random",
      ["name"] = "rand",
      ["points"] = {
        [1] = { ["kiln1"] = 1503, ["kiln2"] = 1244.4, ["n"] = 1, ["torch1"] = 2989.5 },
        [2] = { ["kiln1"] = 1261.6, ["kiln2"] = 908.6, ["n"] = 10, ["torch1"] = 1764 },
        [3] = { ["kiln1"] = 1115.7, ["kiln2"] = 906.8, ["n"] = 100, ["torch1"] = 2696.1 },
        [4] = { ["kiln1"] = 2173.2, ["kiln2"] = 1978.1, ["n"] = 1000, ["torch1"] = 5952.5 },
        [5] = { ["kiln1"] = 9769.5, ["kiln2"] = 8945.5, ["n"] = 10000, ["torch1"] = 41945.4 },
        [6] = { ["kiln1"] = 76261, ["kiln2"] = 51164, ["n"] = 100000, ["torch1"] = 379910.1 },
        [7] = { ["kiln1"] = 747171.1, ["kiln2"] = 621889, ["n"] = 1000000, ["torch1"] = 4168763.2 },
        [8] = { ["kiln1"] = 10821887, ["kiln2"] = 5474656, ["n"] = 10000000, ["torch1"] = 96402086 },
        [9] = { ["kiln1"] = 591009520, ["kiln2"] = 55917382, ["n"] = 100000000 },
      },
    },
    [9] = {
      ["family"] = "matmul",
      ["name"] = "product",
      ["points"] = {
        [1] = { ["kiln1"] = 433.9, ["kiln2"] = 526.5, ["n"] = 1, ["torch1"] = 2330 },
        [2] = { ["kiln1"] = 446.9, ["kiln2"] = 341.7, ["n"] = 100, ["torch1"] = 1848.9 },
        [3] = { ["kiln1"] = 16842.8, ["kiln2"] = 16927.9, ["n"] = 10000, ["torch1"] = 17359.2 },
        [4] = { ["kiln1"] = 13489526.5, ["kiln2"] = 7016615.7, ["n"] = 1000000, ["torch1"] = 14292117.5 },
      },
    },
    [10] = {
      ["family"] = "conv",
      ["name"] = "forward",
      ["points"] = {
        [1] = { ["kiln1"] = 11915.1, ["kiln2"] = 10906.6, ["n"] = 1, ["torch1"] = 4618.6 },
        [2] = { ["kiln1"] = 12141.4, ["kiln2"] = 12825.2, ["n"] = 100, ["torch1"] = 5633.5 },
        [3] = { ["kiln1"] = 51394.7, ["kiln2"] = 52110.9, ["n"] = 10000, ["torch1"] = 28687.4 },
        [4] = { ["kiln1"] = 12910402.5, ["kiln2"] = 9188008.5, ["n"] = 1000000, ["torch1"] = 42126367 },
        [5] = { ["kiln1"] = 4938156344, ["kiln2"] = 7877634683, ["n"] = 100000000 },
      },
    },
    [11] = {
      ["family"] = "optim",
      ["name"] = "adam",
      ["points"] = {
        [1] = { ["kiln1"] = 5717.2, ["kiln2"] = 5965.1, ["n"] = 1, ["torch1"] = 103773.2 },
        [2] = { ["kiln1"] = 4680.6, ["kiln2"] = 5364.7, ["n"] = 10, ["torch1"] = 98194.1 },
        [3] = { ["kiln1"] = 5906.1, ["kiln2"] = 6223.5, ["n"] = 100, ["torch1"] = 104657 },
        [4] = { ["kiln1"] = 6851.8, ["kiln2"] = 5980.3, ["n"] = 1000, ["torch1"] = 115996.8 },
        [5] = { ["kiln1"] = 9184.7, ["kiln2"] = 8390.2, ["n"] = 10000, ["torch1"] = 85928 },
        [6] = { ["kiln1"] = 60422.3, ["kiln2"] = 34784.8, ["n"] = 100000, ["torch1"] = 299861.5 },
        [7] = { ["kiln1"] = 761361.4, ["kiln2"] = 410491.7, ["n"] = 1000000, ["torch1"] = 2998774.4 },
        [8] = { ["kiln1"] = 16628821, ["kiln2"] = 6873475.5, ["n"] = 10000000, ["torch1"] = 98101682 },
        [9] = { ["kiln1"] = 139197895, ["kiln2"] = 81729942, ["n"] = 100000000 },
      },
    },
    [12] = {
      ["family"] = "fused",
      ["name"] = "expression",
      ["points"] = {
        [1] = { ["kiln1"] = 18028.7, ["kiln2"] = 21118, ["n"] = 1, ["torch1"] = 70208.1 },
        [2] = { ["kiln1"] = 18289.2, ["kiln2"] = 19884.2, ["n"] = 10, ["torch1"] = 64559.2 },
        [3] = { ["kiln1"] = 22624.6, ["kiln2"] = 22244.6, ["n"] = 100, ["torch1"] = 75930 },
        [4] = { ["kiln1"] = 22394.7, ["kiln2"] = 34028.2, ["n"] = 1000, ["torch1"] = 71703.5 },
        [5] = { ["kiln1"] = 39662.1, ["kiln2"] = 45486.8, ["n"] = 10000, ["torch1"] = 86517.4 },
        [6] = { ["kiln1"] = 406732.9, ["kiln2"] = 274802.5, ["n"] = 100000, ["torch1"] = 686636.1 },
        [7] = { ["kiln1"] = 4299884.2, ["kiln2"] = 2363949.6, ["n"] = 1000000, ["torch1"] = 9205393.5 },
        [8] = { ["kiln1"] = 41986561, ["kiln2"] = 28553391, ["n"] = 10000000, ["torch1"] = 311077559 },
        [9] = { ["kiln1"] = 493838847, ["kiln2"] = 250099901, ["n"] = 100000000 },
      },
    },
  },
  ["peaks"] = {
    ["training.cnn 64"] = { ["kiln"] = 155432, ["torch"] = 840904 },
    ["training.gpt 6x384x6x8x256"] = { ["kiln"] = 617512, ["torch"] = 1357580 },
    ["training.gru 32x64"] = { ["kiln"] = 126172, ["torch"] = 771604 },
    ["training.lstm 32x64"] = { ["kiln"] = 129424, ["torch"] = 783892 },
    ["training.mlp 64"] = { ["kiln"] = 60752, ["torch"] = 715592 },
    ["training.resnet18 8x64"] = { ["kiln"] = 284616, ["torch"] = 919436 },
  },
  ["seconds"] = 658.4651707,
  ["threads"] = { [1] = 1, [2] = 2 },
  ["versions"] = { ["blas"] = "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY USE_OPENMP SkylakeX MAX_THREADS=64", ["jax"] = "0.10.2", ["kiln"] = "0.1.0", ["luajit"] = "LuaJIT 2.1.0-beta3", ["onednn"] = "2.6.3", ["torch"] = "2.15.0+cu132" },
}
