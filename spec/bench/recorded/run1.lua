-- Measured by spec/bench/run.sh.
return {
  ["cases"] = {
    ["conv.batch_norm 32x64x56"] = {
      [1] = {
        ["kiln"] = { ["least"] = 16076348, ["median"] = 16396226 },
        ["torch"] = { ["least"] = 50970404, ["median"] = 51096862 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 9639624, ["median"] = 16824782.5 },
        ["torch"] = { ["least"] = 20567513, ["median"] = 36930808.5 },
      },
    },
    ["conv.both 32x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 189616529, ["median"] = 194564398 },
        ["torch"] = { ["least"] = 180416097, ["median"] = 199402313 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 152494455, ["median"] = 155845023 },
        ["torch"] = { ["least"] = 183288959, ["median"] = 184996910 },
      },
    },
    ["conv.both 32x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 30312990, ["median"] = 34962732 },
        ["torch"] = { ["least"] = 48082061, ["median"] = 48501232 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 16472821, ["median"] = 19789178 },
        ["torch"] = { ["least"] = 25817296, ["median"] = 34437102 },
      },
    },
    ["conv.both 32x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 107094843, ["median"] = 108982480 },
        ["torch"] = { ["least"] = 117100888, ["median"] = 121357369 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 81853439, ["median"] = 82683186 },
        ["torch"] = { ["least"] = 97529401, ["median"] = 103092823 },
      },
    },
    ["conv.both 32x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 222528909, ["median"] = 224673498 },
        ["torch"] = { ["least"] = 225000006, ["median"] = 226360129 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 137177418, ["median"] = 137932310 },
        ["torch"] = { ["least"] = 140455193, ["median"] = 151839437 },
      },
    },
    ["conv.both 32x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 25260722, ["median"] = 27521103 },
        ["torch"] = { ["least"] = 34242684, ["median"] = 37436133 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 11895093.5, ["median"] = 15429450 },
        ["torch"] = { ["least"] = 16279708, ["median"] = 25443437 },
      },
    },
    ["conv.both 32x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 139612273, ["median"] = 140822874 },
        ["torch"] = { ["least"] = 155323769, ["median"] = 158225274 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 91539800, ["median"] = 99223115 },
        ["torch"] = { ["least"] = 94959237, ["median"] = 98073814 },
      },
    },
    ["conv.both 32x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 647106822, ["median"] = 771786917 },
        ["torch"] = { ["least"] = 831000133, ["median"] = 947476289 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 450101886, ["median"] = 453769172 },
        ["torch"] = { ["least"] = 647785354, ["median"] = 663627092 },
      },
    },
    ["conv.both 32x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 192538945, ["median"] = 263928559 },
        ["torch"] = { ["least"] = 274254553, ["median"] = 278738190 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 138166572, ["median"] = 138471525 },
        ["torch"] = { ["least"] = 130136933, ["median"] = 139159297 },
      },
    },
    ["conv.both 32x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 54676035, ["median"] = 56397632 },
        ["torch"] = { ["least"] = 60866511, ["median"] = 63501160 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 30742684, ["median"] = 32490711 },
        ["torch"] = { ["least"] = 44246258, ["median"] = 44739207 },
      },
    },
    ["conv.both 32x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 189319767, ["median"] = 206650200 },
        ["torch"] = { ["least"] = 218124810, ["median"] = 224960861 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 93597640, ["median"] = 96348965 },
        ["torch"] = { ["least"] = 109174585, ["median"] = 117044643 },
      },
    },
    ["conv.both 32x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 297704173, ["median"] = 304969098 },
        ["torch"] = { ["least"] = 348985443, ["median"] = 355429039 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 158939952, ["median"] = 179393343 },
        ["torch"] = { ["least"] = 196092399, ["median"] = 199946655 },
      },
    },
    ["conv.both 8x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 79635767, ["median"] = 84511106 },
        ["torch"] = { ["least"] = 81100029, ["median"] = 84035335 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 46371604, ["median"] = 49757613 },
        ["torch"] = { ["least"] = 46830304, ["median"] = 51688512 },
      },
    },
    ["conv.both 8x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 8195990, ["median"] = 9069811 },
        ["torch"] = { ["least"] = 11718140.5, ["median"] = 13813341.75 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4442864, ["median"] = 6728334 },
        ["torch"] = { ["least"] = 6866002.5, ["median"] = 11017418 },
      },
    },
    ["conv.both 8x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 50423172, ["median"] = 50871201 },
        ["torch"] = { ["least"] = 46709811, ["median"] = 52838292 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 26870389, ["median"] = 31252800 },
        ["torch"] = { ["least"] = 28736700, ["median"] = 34106222 },
      },
    },
    ["conv.both 8x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 43861003, ["median"] = 45186941 },
        ["torch"] = { ["least"] = 46856136, ["median"] = 48482390 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 29267686, ["median"] = 32557583 },
        ["torch"] = { ["least"] = 30555335, ["median"] = 33677992.5 },
      },
    },
    ["conv.both 8x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6025748.3, ["median"] = 7647682.7 },
        ["torch"] = { ["least"] = 9247462, ["median"] = 11108059 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3532876.5, ["median"] = 5776768.3 },
        ["torch"] = { ["least"] = 5278037.3, ["median"] = 8648155.3 },
      },
    },
    ["conv.both 8x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 54904988, ["median"] = 70965431 },
        ["torch"] = { ["least"] = 63679386, ["median"] = 219101221 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 25490255, ["median"] = 29446140 },
        ["torch"] = { ["least"] = 29665764, ["median"] = 31824642 },
      },
    },
    ["conv.both 8x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 125371358, ["median"] = 131654856 },
        ["torch"] = { ["least"] = 141760564, ["median"] = 145238196 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 84368388, ["median"] = 90885568 },
        ["torch"] = { ["least"] = 90074771, ["median"] = 98298879 },
      },
    },
    ["conv.both 8x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 65657877, ["median"] = 67345318 },
        ["torch"] = { ["least"] = 67605846, ["median"] = 67722734 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 44099052, ["median"] = 45448038 },
        ["torch"] = { ["least"] = 39132193, ["median"] = 49113338 },
      },
    },
    ["conv.both 8x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 11402341, ["median"] = 12344384 },
        ["torch"] = { ["least"] = 16569390, ["median"] = 17194732 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5988310.5, ["median"] = 7284528 },
        ["torch"] = { ["least"] = 7640739, ["median"] = 9975443 },
      },
    },
    ["conv.both 8x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 30744543, ["median"] = 32173591 },
        ["torch"] = { ["least"] = 35523032, ["median"] = 36357857 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 16572844, ["median"] = 19811352 },
        ["torch"] = { ["least"] = 17574438, ["median"] = 23749681 },
      },
    },
    ["conv.both 8x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 52466822, ["median"] = 57169394 },
        ["torch"] = { ["least"] = 57212863, ["median"] = 64284360 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 28428157, ["median"] = 30978333.5 },
        ["torch"] = { ["least"] = 28931150, ["median"] = 32935279 },
      },
    },
    ["conv.forward 32x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 107347238, ["median"] = 111892135 },
        ["torch"] = { ["least"] = 79916040, ["median"] = 110714632 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 55671130, ["median"] = 56275354 },
        ["torch"] = { ["least"] = 57822582, ["median"] = 61649587 },
      },
    },
    ["conv.forward 32x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6353165.3, ["median"] = 7689860 },
        ["torch"] = { ["least"] = 8426433, ["median"] = 11703141.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4456813.7, ["median"] = 6146935.5 },
        ["torch"] = { ["least"] = 5207893, ["median"] = 8124342.25 },
      },
    },
    ["conv.forward 32x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 42457452, ["median"] = 43074446 },
        ["torch"] = { ["least"] = 48634711, ["median"] = 48966357 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 17543010, ["median"] = 21627306 },
        ["torch"] = { ["least"] = 17546076, ["median"] = 23929254 },
      },
    },
    ["conv.forward 32x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 88411040, ["median"] = 91807951 },
        ["torch"] = { ["least"] = 86843588, ["median"] = 88199249 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 35133499, ["median"] = 43690677 },
        ["torch"] = { ["least"] = 44174166, ["median"] = 44928496 },
      },
    },
    ["conv.forward 32x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7830201, ["median"] = 8510321 },
        ["torch"] = { ["least"] = 8996833, ["median"] = 9237387.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3099115.5, ["median"] = 4143428 },
        ["torch"] = { ["least"] = 4550360.5, ["median"] = 7781454 },
      },
    },
    ["conv.forward 32x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 42725496, ["median"] = 42820273 },
        ["torch"] = { ["least"] = 44245168, ["median"] = 44667815 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 24244953, ["median"] = 26080293 },
        ["torch"] = { ["least"] = 22653691, ["median"] = 23640667 },
      },
    },
    ["conv.forward 32x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 68285496, ["median"] = 68952757 },
        ["torch"] = { ["least"] = 176206137, ["median"] = 182358787 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 51223845, ["median"] = 53388804 },
        ["torch"] = { ["least"] = 131793352, ["median"] = 155294334 },
      },
    },
    ["conv.forward 32x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 81337481, ["median"] = 84677031 },
        ["torch"] = { ["least"] = 71728411, ["median"] = 76755193 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 39800542, ["median"] = 48245187 },
        ["torch"] = { ["least"] = 43976877, ["median"] = 44165579 },
      },
    },
    ["conv.forward 32x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 8436081.5, ["median"] = 10364071 },
        ["torch"] = { ["least"] = 12635862.5, ["median"] = 13274237 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8303277, ["median"] = 11406140.25 },
        ["torch"] = { ["least"] = 10643442.5, ["median"] = 12092891.5 },
      },
    },
    ["conv.forward 32x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 48370784, ["median"] = 53274968 },
        ["torch"] = { ["least"] = 49516651, ["median"] = 49958845 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 18555542, ["median"] = 21084706 },
        ["torch"] = { ["least"] = 19470230, ["median"] = 23727298 },
      },
    },
    ["conv.forward 32x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 56967461, ["median"] = 59983154 },
        ["torch"] = { ["least"] = 71913789, ["median"] = 78138625 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 33934410, ["median"] = 35187623 },
        ["torch"] = { ["least"] = 61947171, ["median"] = 63642659 },
      },
    },
    ["conv.forward 8x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 24146202, ["median"] = 24832634 },
        ["torch"] = { ["least"] = 23436658, ["median"] = 24734729 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 13508051, ["median"] = 17574405 },
        ["torch"] = { ["least"] = 13646436.5, ["median"] = 16767979 },
      },
    },
    ["conv.forward 8x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2147311.8, ["median"] = 2651866.4 },
        ["torch"] = { ["least"] = 2399373.6, ["median"] = 2998865.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1134533.6, ["median"] = 1801260.75 },
        ["torch"] = { ["least"] = 1316540.9, ["median"] = 1878676.65 },
      },
    },
    ["conv.forward 8x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 15336513, ["median"] = 16253593 },
        ["torch"] = { ["least"] = 13903592.5, ["median"] = 15037582 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7901858.5, ["median"] = 9092340 },
        ["torch"] = { ["least"] = 7912999, ["median"] = 10923974 },
      },
    },
    ["conv.forward 8x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 24272109, ["median"] = 24806362.5 },
        ["torch"] = { ["least"] = 23606487, ["median"] = 24161367 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 12784809, ["median"] = 15953639.5 },
        ["torch"] = { ["least"] = 12575623.5, ["median"] = 16354871.5 },
      },
    },
    ["conv.forward 8x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2209767.7, ["median"] = 2359124.85 },
        ["torch"] = { ["least"] = 1822539.3, ["median"] = 2377064 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 945591.3, ["median"] = 1786344.3 },
        ["torch"] = { ["least"] = 1348593.6, ["median"] = 2025108.4 },
      },
    },
    ["conv.forward 8x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 11750867, ["median"] = 12593487.5 },
        ["torch"] = { ["least"] = 11469536, ["median"] = 12480417 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5647936.3, ["median"] = 9199728.7 },
        ["torch"] = { ["least"] = 5834781.7, ["median"] = 7375684.7 },
      },
    },
    ["conv.forward 8x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 22954370, ["median"] = 23234885 },
        ["torch"] = { ["least"] = 53383392, ["median"] = 53908975 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 10912215, ["median"] = 13715102.5 },
        ["torch"] = { ["least"] = 24715990, ["median"] = 30157222.5 },
      },
    },
    ["conv.forward 8x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 25738628, ["median"] = 28069352 },
        ["torch"] = { ["least"] = 24701307, ["median"] = 26938835.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 13892348, ["median"] = 18337301 },
        ["torch"] = { ["least"] = 13273591, ["median"] = 14644261 },
      },
    },
    ["conv.forward 8x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2386346, ["median"] = 2595783.9 },
        ["torch"] = { ["least"] = 2861310.6, ["median"] = 3362894.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1298749.4, ["median"] = 1907950.8 },
        ["torch"] = { ["least"] = 1611766, ["median"] = 2742716.7 },
      },
    },
    ["conv.forward 8x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 8057408.5, ["median"] = 9784789 },
        ["torch"] = { ["least"] = 9579469, ["median"] = 10283893 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5393558.3, ["median"] = 8013262.7 },
        ["torch"] = { ["least"] = 7151498.5, ["median"] = 8202524 },
      },
    },
    ["conv.forward 8x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 22393516, ["median"] = 24989547.5 },
        ["torch"] = { ["least"] = 20075813, ["median"] = 20890558.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 13334802.5, ["median"] = 20973917.5 },
        ["torch"] = { ["least"] = 16025523, ["median"] = 17228899 },
      },
    },
    ["conv.max_pool 32x64x56"] = {
      [1] = {
        ["kiln"] = { ["least"] = 38677144, ["median"] = 58379401 },
        ["torch"] = { ["least"] = 110389843, ["median"] = 117777083 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 22168215, ["median"] = 28218490 },
        ["torch"] = { ["least"] = 58350269, ["median"] = 69048621 },
      },
    },
    ["fused.expression 10000000"] = {
      [1] = {
        ["jax"] = { ["least"] = 103814459, ["median"] = 107539162 },
        ["kiln"] = { ["least"] = 44846262, ["median"] = 46831838 },
        ["torch"] = { ["least"] = 371247010, ["median"] = 384972803 },
      },
      [2] = {
        ["jax"] = { ["least"] = 70798701, ["median"] = 73935257 },
        ["kiln"] = { ["least"] = 26688068, ["median"] = 27528226 },
        ["torch"] = { ["least"] = 187052394, ["median"] = 195814087 },
      },
    },
    ["matmul.batched 64x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 561918.1, ["median"] = 593352.7 },
        ["torch"] = { ["least"] = 559374.2, ["median"] = 601160.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 376064.8, ["median"] = 518510.1 },
        ["torch"] = { ["least"] = 289599.4, ["median"] = 477302.6 },
      },
    },
    ["matmul.left_transposed 1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 30023134, ["median"] = 30328871 },
        ["torch"] = { ["least"] = 28617055, ["median"] = 29216122 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 14635378.5, ["median"] = 15504571 },
        ["torch"] = { ["least"] = 14749133.5, ["median"] = 16171370.5 },
      },
    },
    ["matmul.product 1024x1024x1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 22051068, ["median"] = 23557432 },
        ["torch"] = { ["least"] = 16243409, ["median"] = 17417896.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 16768548, ["median"] = 17734341.5 },
        ["torch"] = { ["least"] = 16030431, ["median"] = 19862108.5 },
      },
    },
    ["matmul.product 128x128x128"] = {
      [1] = {
        ["kiln"] = { ["least"] = 34609.3, ["median"] = 38799.4 },
        ["torch"] = { ["least"] = 31058.7, ["median"] = 32969.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 35318.5, ["median"] = 38833.8 },
        ["torch"] = { ["least"] = 25010.6, ["median"] = 35127 },
      },
    },
    ["matmul.product 1x512x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 230307.7, ["median"] = 241710 },
        ["torch"] = { ["least"] = 215465, ["median"] = 253546.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 100755.5, ["median"] = 190153.7 },
        ["torch"] = { ["least"] = 118989, ["median"] = 221775.4 },
      },
    },
    ["matmul.product 2048x2048x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 139759465, ["median"] = 154720118 },
        ["torch"] = { ["least"] = 126521512, ["median"] = 126753261 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 118889494, ["median"] = 127753218 },
        ["torch"] = { ["least"] = 124416871, ["median"] = 131343003 },
      },
    },
    ["matmul.product 20x650x2600"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1215728.2, ["median"] = 1366566.3 },
        ["torch"] = { ["least"] = 1360622.7, ["median"] = 1547763.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 671888.8, ["median"] = 1064179.8 },
        ["torch"] = { ["least"] = 749221.6, ["median"] = 1365196.4 },
      },
    },
    ["matmul.product 256x256x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 248963, ["median"] = 264499 },
        ["torch"] = { ["least"] = 252363.5, ["median"] = 274513.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 130254.7, ["median"] = 191590.2 },
        ["torch"] = { ["least"] = 133937.1, ["median"] = 163074.55 },
      },
    },
    ["matmul.product 512x512x512"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2100108.1, ["median"] = 2548755.1 },
        ["torch"] = { ["least"] = 2156228.4, ["median"] = 2314201 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1605657.3, ["median"] = 2309194 },
        ["torch"] = { ["least"] = 1484720.7, ["median"] = 2461761.4 },
      },
    },
    ["matmul.product 64x64x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5079.9, ["median"] = 8487.4 },
        ["torch"] = { ["least"] = 6210, ["median"] = 6836.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4971.5, ["median"] = 6157.7 },
        ["torch"] = { ["least"] = 8795, ["median"] = 10980.8 },
      },
    },
    ["matmul.product 64x784x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 300446, ["median"] = 347918.9 },
        ["torch"] = { ["least"] = 307089.8, ["median"] = 366083.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 180506.2, ["median"] = 343560.5 },
        ["torch"] = { ["least"] = 217871.9, ["median"] = 347344.1 },
      },
    },
    ["matmul.right_transposed 1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 29169860, ["median"] = 29955857 },
        ["torch"] = { ["least"] = 25997160, ["median"] = 28874901 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 15441514, ["median"] = 20185011 },
        ["torch"] = { ["least"] = 15117799, ["median"] = 19435566 },
      },
    },
    ["movement.add_transposed 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1164261.4, ["median"] = 1535723.7 },
        ["torch"] = { ["least"] = 1924196, ["median"] = 2040100.95 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 615921.6, ["median"] = 950138.1 },
        ["torch"] = { ["least"] = 941516.5, ["median"] = 1540289.8 },
      },
    },
    ["movement.cat 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 305244.9, ["median"] = 434654.7 },
        ["torch"] = { ["least"] = 411469.5, ["median"] = 446018.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 265040.6, ["median"] = 324360.7 },
        ["torch"] = { ["least"] = 418086.2, ["median"] = 547197.7 },
      },
    },
    ["movement.cumsum 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1196300, ["median"] = 1540556.4 },
        ["torch"] = { ["least"] = 1736971.6, ["median"] = 2109305.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 920269.6, ["median"] = 1331740.1 },
        ["torch"] = { ["least"] = 1774973.4, ["median"] = 2002751.7 },
      },
    },
    ["movement.embedding_backward 50257x384x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 10223343, ["median"] = 10307427 },
        ["torch"] = { ["least"] = 50952108, ["median"] = 51384708 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 9593321, ["median"] = 12891497 },
        ["torch"] = { ["least"] = 32595986, ["median"] = 35673417 },
      },
    },
    ["movement.gather 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1991707, ["median"] = 4335206.5 },
        ["torch"] = { ["least"] = 3290116.7, ["median"] = 4030088.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1171929.7, ["median"] = 3159719.5 },
        ["torch"] = { ["least"] = 1184785.4, ["median"] = 2948505 },
      },
    },
    ["movement.index_select 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 264641, ["median"] = 413169.3 },
        ["torch"] = { ["least"] = 443782.1, ["median"] = 521485.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 264138.2, ["median"] = 702151.3 },
        ["torch"] = { ["least"] = 224625.8, ["median"] = 396966.7 },
      },
    },
    ["movement.masked_select 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1532689.5, ["median"] = 1836167.5 },
        ["torch"] = { ["least"] = 7267642.7, ["median"] = 8380029 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 828705.5, ["median"] = 1280956.15 },
        ["torch"] = { ["least"] = 5369048, ["median"] = 6924103.5 },
      },
    },
    ["movement.sort 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 54208376, ["median"] = 75291135 },
        ["torch"] = { ["least"] = 129000536, ["median"] = 137876066 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 28251454, ["median"] = 29315590 },
        ["torch"] = { ["least"] = 161894206, ["median"] = 165666813 },
      },
    },
    ["movement.topk 1000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 936071.6, ["median"] = 1023852 },
        ["torch"] = { ["least"] = 10894126.5, ["median"] = 12630342.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 853241.9, ["median"] = 1009321.1 },
        ["torch"] = { ["least"] = 12708489.5, ["median"] = 13621773 },
      },
    },
    ["movement.transposed 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1022855, ["median"] = 5023818.3 },
        ["torch"] = { ["least"] = 3597070.5, ["median"] = 3918209.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 614414.8, ["median"] = 771059.45 },
        ["torch"] = { ["least"] = 3952964.8, ["median"] = 4865372.1 },
      },
    },
    ["optim.adam 10000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 19844150, ["median"] = 20236314 },
        ["torch"] = { ["least"] = 57392802, ["median"] = 57972968 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 10535877, ["median"] = 13905413.75 },
        ["torch"] = { ["least"] = 33417901, ["median"] = 38102107 },
      },
    },
    ["optim.adam_fused 10000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 15189260, ["median"] = 15992071.5 },
        ["torch"] = { ["least"] = 16824044, ["median"] = 18863262.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7913278, ["median"] = 10028923 },
        ["torch"] = { ["least"] = 9637123.5, ["median"] = 11809775 },
      },
    },
    ["pointwise.add 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1401.7, ["median"] = 4080 },
        ["torch"] = { ["least"] = 3149.5, ["median"] = 3637.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1205.4, ["median"] = 2002.5 },
        ["torch"] = { ["least"] = 3360, ["median"] = 3531.6 },
      },
    },
    ["pointwise.add 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 101269.9, ["median"] = 110172.8 },
        ["torch"] = { ["least"] = 36897.6, ["median"] = 44253 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 59783.6, ["median"] = 110621 },
        ["torch"] = { ["least"] = 22277.1, ["median"] = 26712.9 },
      },
    },
    ["pointwise.add 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 616091.5, ["median"] = 1314833 },
        ["torch"] = { ["least"] = 687780.4, ["median"] = 795758.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 432719.9, ["median"] = 986894.4 },
        ["torch"] = { ["least"] = 374988, ["median"] = 659393.9 },
      },
    },
    ["pointwise.add 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 11940407, ["median"] = 77619285 },
        ["torch"] = { ["least"] = 36648257, ["median"] = 37235892 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5996138.5, ["median"] = 7554265.25 },
        ["torch"] = { ["least"] = 19155058, ["median"] = 19651636 },
      },
    },
    ["pointwise.add_column 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1693.9, ["median"] = 2433.6 },
        ["torch"] = { ["least"] = 3193.4, ["median"] = 3332.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1649, ["median"] = 2210.4 },
        ["torch"] = { ["least"] = 3182.2, ["median"] = 3693.8 },
      },
    },
    ["pointwise.add_column 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 108672.5, ["median"] = 112818 },
        ["torch"] = { ["least"] = 25704.2, ["median"] = 26465.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 63083.7, ["median"] = 95925.1 },
        ["torch"] = { ["least"] = 44685, ["median"] = 159104 },
      },
    },
    ["pointwise.add_column 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 558269.4, ["median"] = 705155.5 },
        ["torch"] = { ["least"] = 430136.7, ["median"] = 500208.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 362572.7, ["median"] = 755115.3 },
        ["torch"] = { ["least"] = 238786.6, ["median"] = 598609.7 },
      },
    },
    ["pointwise.add_column 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 8573362, ["median"] = 12190780 },
        ["torch"] = { ["least"] = 30306592, ["median"] = 31951413 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4130181.5, ["median"] = 5324298.25 },
        ["torch"] = { ["least"] = 16000171, ["median"] = 18838143.5 },
      },
    },
    ["pointwise.add_in_place 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 274.4, ["median"] = 280.6 },
        ["torch"] = { ["least"] = 2480.6, ["median"] = 2514.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 269.6, ["median"] = 279.1 },
        ["torch"] = { ["least"] = 2474, ["median"] = 2529.5 },
      },
    },
    ["pointwise.add_in_place 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 13645.3, ["median"] = 14956.3 },
        ["torch"] = { ["least"] = 19007.5, ["median"] = 20188.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 9775.2, ["median"] = 24096.4 },
        ["torch"] = { ["least"] = 14838.3, ["median"] = 35677.4 },
      },
    },
    ["pointwise.add_in_place 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 367183.6, ["median"] = 381813.8 },
        ["torch"] = { ["least"] = 380793.9, ["median"] = 414604.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 195672, ["median"] = 304463 },
        ["torch"] = { ["least"] = 200496.3, ["median"] = 355052.5 },
      },
    },
    ["pointwise.add_in_place 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7380391.5, ["median"] = 7912259.5 },
        ["torch"] = { ["least"] = 9870441.5, ["median"] = 10246945.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3835125, ["median"] = 5486893.25 },
        ["torch"] = { ["least"] = 5032366.7, ["median"] = 6556745.7 },
      },
    },
    ["pointwise.add_row 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1405.8, ["median"] = 2008.9 },
        ["torch"] = { ["least"] = 3165.1, ["median"] = 3311.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1347.1, ["median"] = 2001.2 },
        ["torch"] = { ["least"] = 3206.6, ["median"] = 3308.2 },
      },
    },
    ["pointwise.add_row 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 101750.6, ["median"] = 108751.9 },
        ["torch"] = { ["least"] = 29094.4, ["median"] = 32428.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 55853.2, ["median"] = 72293.5 },
        ["torch"] = { ["least"] = 19973.9, ["median"] = 22221.2 },
      },
    },
    ["pointwise.add_row 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 490682.1, ["median"] = 768842.1 },
        ["torch"] = { ["least"] = 481290.6, ["median"] = 513767.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 313924.3, ["median"] = 755555.7 },
        ["torch"] = { ["least"] = 239575, ["median"] = 469177.7 },
      },
    },
    ["pointwise.add_row 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7550950, ["median"] = 61928789 },
        ["torch"] = { ["least"] = 29453298, ["median"] = 30005727 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3547420, ["median"] = 5418932.25 },
        ["torch"] = { ["least"] = 14754198, ["median"] = 15446061.5 },
      },
    },
    ["pointwise.exp 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1305.1, ["median"] = 2441 },
        ["torch"] = { ["least"] = 3445.1, ["median"] = 3696.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1428.1, ["median"] = 2596.6 },
        ["torch"] = { ["least"] = 6237.3, ["median"] = 6462.6 },
      },
    },
    ["pointwise.exp 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 119518.5, ["median"] = 147747.2 },
        ["torch"] = { ["least"] = 48160.1, ["median"] = 50845.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 70296.7, ["median"] = 89472.3 },
        ["torch"] = { ["least"] = 24933.3, ["median"] = 120532.15 },
      },
    },
    ["pointwise.exp 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 700798.8, ["median"] = 762050.4 },
        ["torch"] = { ["least"] = 444577.3, ["median"] = 494087.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 446026.4, ["median"] = 709970 },
        ["torch"] = { ["least"] = 235159.6, ["median"] = 476280 },
      },
    },
    ["pointwise.exp 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 9431219, ["median"] = 36363164 },
        ["torch"] = { ["least"] = 27619435, ["median"] = 29251715 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7275053.5, ["median"] = 9163078.5 },
        ["torch"] = { ["least"] = 19817916, ["median"] = 24332330 },
      },
    },
    ["pointwise.gelu 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2326.8, ["median"] = 3220.3 },
        ["torch"] = { ["least"] = 23520.3, ["median"] = 24020.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2450.9, ["median"] = 3007.3 },
        ["torch"] = { ["least"] = 22859.9, ["median"] = 25819.5 },
      },
    },
    ["pointwise.gelu 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 97816.3, ["median"] = 111549.8 },
        ["torch"] = { ["least"] = 51715.8, ["median"] = 56620.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 88642.4, ["median"] = 118592.4 },
        ["torch"] = { ["least"] = 49357.1, ["median"] = 101419.5 },
      },
    },
    ["pointwise.gelu 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 937015, ["median"] = 992029.4 },
        ["torch"] = { ["least"] = 511248, ["median"] = 696895.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 599998.9, ["median"] = 901750.1 },
        ["torch"] = { ["least"] = 304223.9, ["median"] = 618193.6 },
      },
    },
    ["pointwise.gelu 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 16589123, ["median"] = 40372196 },
        ["torch"] = { ["least"] = 38376404, ["median"] = 38858482 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8549496.5, ["median"] = 10650901 },
        ["torch"] = { ["least"] = 19815889, ["median"] = 20290196 },
      },
    },
    ["pointwise.mul 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1065.9, ["median"] = 1403.4 },
        ["torch"] = { ["least"] = 2960.7, ["median"] = 3464.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1084.7, ["median"] = 1708.2 },
        ["torch"] = { ["least"] = 2827.4, ["median"] = 2963.5 },
      },
    },
    ["pointwise.mul 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 98941.5, ["median"] = 106465.5 },
        ["torch"] = { ["least"] = 42621.4, ["median"] = 46107.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 51714.1, ["median"] = 98245.3 },
        ["torch"] = { ["least"] = 16268.6, ["median"] = 25686.8 },
      },
    },
    ["pointwise.mul 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 666714, ["median"] = 1045929 },
        ["torch"] = { ["least"] = 924780.1, ["median"] = 1043005.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 399539.6, ["median"] = 823538.4 },
        ["torch"] = { ["least"] = 369856.2, ["median"] = 569582.7 },
      },
    },
    ["pointwise.mul 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 12737949, ["median"] = 84348590 },
        ["torch"] = { ["least"] = 36908719, ["median"] = 39395392 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5806704, ["median"] = 7122507.5 },
        ["torch"] = { ["least"] = 17507229, ["median"] = 21503400.5 },
      },
    },
    ["pointwise.relu 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 990.3, ["median"] = 1769.5 },
        ["torch"] = { ["least"] = 2961.6, ["median"] = 3037.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1083.1, ["median"] = 1905.3 },
        ["torch"] = { ["least"] = 2939.8, ["median"] = 3057.5 },
      },
    },
    ["pointwise.relu 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 100518.8, ["median"] = 107338.8 },
        ["torch"] = { ["least"] = 21688.5, ["median"] = 22134.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 59546.8, ["median"] = 85949.6 },
        ["torch"] = { ["least"] = 13932.5, ["median"] = 20640.6 },
      },
    },
    ["pointwise.relu 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 458024.8, ["median"] = 560308.1 },
        ["torch"] = { ["least"] = 411270, ["median"] = 471747.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 297309.6, ["median"] = 606986.1 },
        ["torch"] = { ["least"] = 255934.4, ["median"] = 626334.2 },
      },
    },
    ["pointwise.relu 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7310642, ["median"] = 7486723 },
        ["torch"] = { ["least"] = 25356748, ["median"] = 26110532 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4490746, ["median"] = 6878025.5 },
        ["torch"] = { ["least"] = 17377101, ["median"] = 20913006 },
      },
    },
    ["pointwise.sigmoid 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1369.3, ["median"] = 2863.8 },
        ["torch"] = { ["least"] = 3710.5, ["median"] = 4008.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1521.3, ["median"] = 2369.7 },
        ["torch"] = { ["least"] = 4072.9, ["median"] = 4397.1 },
      },
    },
    ["pointwise.sigmoid 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 84553, ["median"] = 97129.3 },
        ["torch"] = { ["least"] = 54950.9, ["median"] = 61526.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 56810.5, ["median"] = 127176.7 },
        ["torch"] = { ["least"] = 44317.9, ["median"] = 72503.2 },
      },
    },
    ["pointwise.sigmoid 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 683966.6, ["median"] = 818476.7 },
        ["torch"] = { ["least"] = 613587.2, ["median"] = 705957.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 423931.8, ["median"] = 569824.9 },
        ["torch"] = { ["least"] = 309549, ["median"] = 478636.5 },
      },
    },
    ["pointwise.sigmoid 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 12417715, ["median"] = 19502260 },
        ["torch"] = { ["least"] = 35704633, ["median"] = 37693691 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6536623.5, ["median"] = 7616500 },
        ["torch"] = { ["least"] = 20500558, ["median"] = 26753911 },
      },
    },
    ["pointwise.tanh 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1637.2, ["median"] = 2093.5 },
        ["torch"] = { ["least"] = 4071.8, ["median"] = 4573 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1676.6, ["median"] = 2565.2 },
        ["torch"] = { ["least"] = 6403.7, ["median"] = 6740.2 },
      },
    },
    ["pointwise.tanh 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 111830.5, ["median"] = 124096.1 },
        ["torch"] = { ["least"] = 76261.6, ["median"] = 80648.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 73200.5, ["median"] = 110289.5 },
        ["torch"] = { ["least"] = 56593.4, ["median"] = 103880.8 },
      },
    },
    ["pointwise.tanh 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 697163.7, ["median"] = 788666.5 },
        ["torch"] = { ["least"] = 478312.7, ["median"] = 576383.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 536079.5, ["median"] = 837391 },
        ["torch"] = { ["least"] = 309877.7, ["median"] = 605303.2 },
      },
    },
    ["pointwise.tanh 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 11472535, ["median"] = 64073652 },
        ["torch"] = { ["least"] = 32287839, ["median"] = 33482539 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6416212, ["median"] = 9184671.5 },
        ["torch"] = { ["least"] = 19150523, ["median"] = 22236325 },
      },
    },
    ["pointwise.where 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1466.3, ["median"] = 2119.1 },
        ["torch"] = { ["least"] = 6612.9, ["median"] = 6779.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1410.7, ["median"] = 2219.3 },
        ["torch"] = { ["least"] = 6019.3, ["median"] = 6808.8 },
      },
    },
    ["pointwise.where 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 86800.1, ["median"] = 93459.9 },
        ["torch"] = { ["least"] = 203236, ["median"] = 222684.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 56280.9, ["median"] = 95181.4 },
        ["torch"] = { ["least"] = 116041.9, ["median"] = 231395.6 },
      },
    },
    ["pointwise.where 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 969722.8, ["median"] = 1045411.1 },
        ["torch"] = { ["least"] = 2064240.5, ["median"] = 2603711 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 667134.2, ["median"] = 1098302 },
        ["torch"] = { ["least"] = 1531719.8, ["median"] = 2465901.8 },
      },
    },
    ["pointwise.where 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 70689995, ["median"] = 73742817 },
        ["torch"] = { ["least"] = 50785023, ["median"] = 52450931 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 10270432, ["median"] = 34204432.5 },
        ["torch"] = { ["least"] = 31362251, ["median"] = 35624732 },
      },
    },
    ["random.bernoulli 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2155492.3, ["median"] = 2261435.45 },
        ["torch"] = { ["least"] = 21981057, ["median"] = 22148766.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1106194.6, ["median"] = 1403572.45 },
        ["torch"] = { ["least"] = 17526883, ["median"] = 17710552.5 },
      },
    },
    ["random.rand 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1243114.9, ["median"] = 1502493.9 },
        ["torch"] = { ["least"] = 9166809, ["median"] = 9411817.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 658208.5, ["median"] = 1108173 },
        ["torch"] = { ["least"] = 9123395, ["median"] = 9738851 },
      },
    },
    ["random.randn 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2221557.5, ["median"] = 8198647 },
        ["torch"] = { ["least"] = 8531313.5, ["median"] = 8679178 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1131862, ["median"] = 1321522.4 },
        ["torch"] = { ["least"] = 8615840, ["median"] = 8789096 },
      },
    },
    ["random.randperm 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5753925.5, ["median"] = 6642979.5 },
        ["torch"] = { ["least"] = 12637158, ["median"] = 15618725 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5692445, ["median"] = 6623225 },
        ["torch"] = { ["least"] = 17220199.5, ["median"] = 19018776 },
      },
    },
    ["reduce.layer_norm 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 624721, ["median"] = 870566.5 },
        ["torch"] = { ["least"] = 981734.8, ["median"] = 1228920 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 398629.8, ["median"] = 762967.3 },
        ["torch"] = { ["least"] = 346314.5, ["median"] = 975743.2 },
      },
    },
    ["reduce.layer_norm 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3298905, ["median"] = 4186352.75 },
        ["torch"] = { ["least"] = 5061606, ["median"] = 5389404.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2244490.7, ["median"] = 4346194.15 },
        ["torch"] = { ["least"] = 2763751.2, ["median"] = 3631518.2 },
      },
    },
    ["reduce.log_softmax 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 974599.3, ["median"] = 3073614.15 },
        ["torch"] = { ["least"] = 1415871.7, ["median"] = 1580944.45 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 627608.3, ["median"] = 1190038.6 },
        ["torch"] = { ["least"] = 787408.6, ["median"] = 1185316.75 },
      },
    },
    ["reduce.log_softmax 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3463656, ["median"] = 4763374 },
        ["torch"] = { ["least"] = 5708301.3, ["median"] = 6270391 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2777906.7, ["median"] = 5404300.35 },
        ["torch"] = { ["least"] = 3322540.8, ["median"] = 4255662.3 },
      },
    },
    ["reduce.logsumexp 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 600032.8, ["median"] = 642481.3 },
        ["torch"] = { ["least"] = 1208558.6, ["median"] = 1721796.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 283606.7, ["median"] = 417851.5 },
        ["torch"] = { ["least"] = 615104.7, ["median"] = 1445476.4 },
      },
    },
    ["reduce.logsumexp 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2636244.8, ["median"] = 3112783.5 },
        ["torch"] = { ["least"] = 9512817.5, ["median"] = 10427751 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1138771.2, ["median"] = 2158927.9 },
        ["torch"] = { ["least"] = 2061345, ["median"] = 3879810.25 },
      },
    },
    ["reduce.max 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 377020.8, ["median"] = 414776.7 },
        ["torch"] = { ["least"] = 994617.8, ["median"] = 1090370.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 191472.9, ["median"] = 349863.9 },
        ["torch"] = { ["least"] = 853090, ["median"] = 1217478.2 },
      },
    },
    ["reduce.max 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 851268.1, ["median"] = 1065886.5 },
        ["torch"] = { ["least"] = 4537185.7, ["median"] = 5800762.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 565929.7, ["median"] = 1201377.05 },
        ["torch"] = { ["least"] = 3181787.8, ["median"] = 4085769.3 },
      },
    },
    ["reduce.mean 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 180081.6, ["median"] = 186698.3 },
        ["torch"] = { ["least"] = 195856.2, ["median"] = 207310.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 48564.3, ["median"] = 88197.6 },
        ["torch"] = { ["least"] = 59878.4, ["median"] = 113939.7 },
      },
    },
    ["reduce.mean 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 591148.4, ["median"] = 663233.3 },
        ["torch"] = { ["least"] = 715681.2, ["median"] = 865354.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 336147.3, ["median"] = 584647.6 },
        ["torch"] = { ["least"] = 434848.1, ["median"] = 783246.6 },
      },
    },
    ["reduce.softmax 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 933052.1, ["median"] = 1139596.2 },
        ["torch"] = { ["least"] = 879257.2, ["median"] = 1094977.05 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 849735.5, ["median"] = 1645325.5 },
        ["torch"] = { ["least"] = 482150.2, ["median"] = 1131369.3 },
      },
    },
    ["reduce.softmax 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5622290, ["median"] = 6510741.5 },
        ["torch"] = { ["least"] = 6213082, ["median"] = 6470708.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3381917.5, ["median"] = 5894033.5 },
        ["torch"] = { ["least"] = 3228413.3, ["median"] = 5897911.3 },
      },
    },
    ["reduce.sum 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 223156.3, ["median"] = 238688.6 },
        ["torch"] = { ["least"] = 247737.1, ["median"] = 263875.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 115379, ["median"] = 208228.9 },
        ["torch"] = { ["least"] = 130754.2, ["median"] = 222241.1 },
      },
    },
    ["reduce.sum 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 703284.8, ["median"] = 779396.6 },
        ["torch"] = { ["least"] = 823716.5, ["median"] = 1007561.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 339926.5, ["median"] = 611364.2 },
        ["torch"] = { ["least"] = 464209.6, ["median"] = 795822.6 },
      },
    },
    ["reduce.sum_of_columns 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 189200.9, ["median"] = 200302.7 },
        ["torch"] = { ["least"] = 192392, ["median"] = 206983.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 65127.2, ["median"] = 100789.6 },
        ["torch"] = { ["least"] = 57993.6, ["median"] = 95444.8 },
      },
    },
    ["reduce.sum_of_columns 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 657657.6, ["median"] = 722540.1 },
        ["torch"] = { ["least"] = 621663.9, ["median"] = 751269.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 364663.5, ["median"] = 748346.5 },
        ["torch"] = { ["least"] = 576760.3, ["median"] = 1037007.2 },
      },
    },
    ["reduce.sum_of_rows 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 215645.1, ["median"] = 262804.7 },
        ["torch"] = { ["least"] = 227823.5, ["median"] = 255154.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 84425.7, ["median"] = 194348 },
        ["torch"] = { ["least"] = 54549.2, ["median"] = 97149.8 },
      },
    },
    ["reduce.sum_of_rows 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 673192.2, ["median"] = 887869.3 },
        ["torch"] = { ["least"] = 742154.4, ["median"] = 1011952.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 318805.6, ["median"] = 451436.3 },
        ["torch"] = { ["least"] = 395663.6, ["median"] = 499635.1 },
      },
    },
    ["reduce.var 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 230648.6, ["median"] = 240958.9 },
        ["torch"] = { ["least"] = 1069215.3, ["median"] = 1115443.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 123516.5, ["median"] = 248129.9 },
        ["torch"] = { ["least"] = 767335.1, ["median"] = 1056461.9 },
      },
    },
    ["reduce.var 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 792143.3, ["median"] = 854555.6 },
        ["torch"] = { ["least"] = 3759733.5, ["median"] = 4884602.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 426240.1, ["median"] = 899278 },
        ["torch"] = { ["least"] = 2621596, ["median"] = 4299523.85 },
      },
    },
    ["small.add 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 312, ["median"] = 962.6 },
        ["torch"] = { ["least"] = 2968.3, ["median"] = 3024.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 338.6, ["median"] = 413.9 },
        ["torch"] = { ["least"] = 3127.2, ["median"] = 3322.5 },
      },
    },
    ["small.add_grad 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 946.9, ["median"] = 1134.7 },
        ["torch"] = { ["least"] = 4745.2, ["median"] = 4959.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 845.5, ["median"] = 1119.4 },
        ["torch"] = { ["least"] = 4400, ["median"] = 4940.8 },
      },
    },
    ["small.chain 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 49989.7, ["median"] = 57310.8 },
        ["torch"] = { ["least"] = 405311.6, ["median"] = 438814.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 39985.8, ["median"] = 44565.7 },
        ["torch"] = { ["least"] = 289796.4, ["median"] = 306013.2 },
      },
    },
    ["small.select 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 258.8, ["median"] = 559.7 },
        ["torch"] = { ["least"] = 2150.7, ["median"] = 2285.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 318.1, ["median"] = 463.7 },
        ["torch"] = { ["least"] = 2448.8, ["median"] = 2534.2 },
      },
    },
    ["small.view 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 421.3, ["median"] = 551.8 },
        ["torch"] = { ["least"] = 2302.3, ["median"] = 2370.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 317.6, ["median"] = 484.6 },
        ["torch"] = { ["least"] = 2105, ["median"] = 2389.3 },
      },
    },
    ["small.zero 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 254.5, ["median"] = 264.2 },
        ["torch"] = { ["least"] = 830.3, ["median"] = 842.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 261.6, ["median"] = 271 },
        ["torch"] = { ["least"] = 841.1, ["median"] = 849.1 },
      },
    },
    ["start"] = {
      [1] = {
        ["kiln"] = { ["least"] = 20623033, ["median"] = 27731241 },
        ["torch"] = { ["least"] = 3163392848, ["median"] = 3450758724 },
      },
    },
    ["training.cnn 64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 99974859, ["median"] = 101000765 },
        ["torch"] = { ["least"] = 128969961, ["median"] = 132030092 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 52689068, ["median"] = 53812204 },
        ["torch"] = { ["least"] = 62666627, ["median"] = 67569312 },
      },
    },
    ["training.gpt 6x384x6x8x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1793999125, ["median"] = 1896365930 },
        ["torch"] = { ["least"] = 1728014817, ["median"] = 1744464333 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1096111005, ["median"] = 1133229659 },
        ["torch"] = { ["least"] = 974051918, ["median"] = 984193411 },
      },
    },
    ["training.gru 32x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 37335348, ["median"] = 38171906 },
        ["torch"] = { ["least"] = 58331696, ["median"] = 59008577 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 29912927, ["median"] = 42589412 },
        ["torch"] = { ["least"] = 57413738, ["median"] = 70443970 },
      },
    },
    ["training.lstm 32x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 67628518, ["median"] = 71630931 },
        ["torch"] = { ["least"] = 69305696, ["median"] = 69305712 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 40233241, ["median"] = 45453203 },
        ["torch"] = { ["least"] = 41808538, ["median"] = 49542033 },
      },
    },
    ["training.mlp 64"] = {
      [1] = {
        ["jax"] = { ["least"] = 1264283.5, ["median"] = 1453959.1 },
        ["kiln"] = { ["least"] = 1346223.7, ["median"] = 2095105.2 },
        ["torch"] = { ["least"] = 3287047.8, ["median"] = 3651580.4 },
      },
      [2] = {
        ["jax"] = { ["least"] = 1375117.7, ["median"] = 1682375.15 },
        ["kiln"] = { ["least"] = 1328106, ["median"] = 2300050.4 },
        ["torch"] = { ["least"] = 3470342.5, ["median"] = 4667959.8 },
      },
    },
    ["training.resnet18 8x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 134790986, ["median"] = 144337980 },
        ["torch"] = { ["least"] = 174677555, ["median"] = 179003099 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 109209506, ["median"] = 110239514 },
        ["torch"] = { ["least"] = 140574327, ["median"] = 145654553 },
      },
    },
  },
  ["cores"] = 2,
  ["cpu"] = "Intel(R) Xeon(R) Processor",
  ["date"] = "2026-11-30 11:47 UTC",
  ["features"] = { [1] = "avx2", [2] = "avx512f", [3] = "avx512_bf16", [4] = "amx_bf16" },
  ["growth"] = {
    [1] = {
      ["family"] = "pointwise",
      ["name"] = "add",
      ["points"] = {
        [1] = { ["kiln1"] = 272.2, ["kiln2"] = 237.9, ["n"] = 1, ["torch1"] = 1573.5 },
        [2] = { ["kiln1"] = 165.1, ["kiln2"] = 146, ["n"] = 10, ["torch1"] = 1533.3 },
        [3] = { ["kiln1"] = 338.6, ["kiln2"] = 333, ["n"] = 100, ["torch1"] = 1413.7 },
        [4] = { ["kiln1"] = 874.5, ["kiln2"] = 882.4, ["n"] = 1000, ["torch1"] = 1502.8 },
        [5] = { ["kiln1"] = 7044.8, ["kiln2"] = 9367.7, ["n"] = 10000, ["torch1"] = 3032 },
        [6] = { ["kiln1"] = 64370.1, ["kiln2"] = 44247.3, ["n"] = 100000, ["torch1"] = 23503.4 },
        [7] = { ["kiln1"] = 502068.4, ["kiln2"] = 320776.4, ["n"] = 1000000, ["torch1"] = 635959.9 },
        [8] = { ["kiln1"] = 8062125, ["kiln2"] = 5305598, ["n"] = 10000000, ["torch1"] = 24779447 },
        [9] = { ["kiln1"] = 94338948, ["kiln2"] = 50041131, ["n"] = 100000000 },
      },
    },
    [2] = {
      ["family"] = "pointwise",
      ["name"] = "exp",
      ["points"] = {
        [1] = { ["kiln1"] = 342.4, ["kiln2"] = 317.1, ["n"] = 1, ["torch1"] = 2046.8 },
        [2] = { ["kiln1"] = 352.8, ["kiln2"] = 253.1, ["n"] = 10, ["torch1"] = 1707.5 },
        [3] = { ["kiln1"] = 427.3, ["kiln2"] = 397.6, ["n"] = 100, ["torch1"] = 2375 },
        [4] = { ["kiln1"] = 1705.9, ["kiln2"] = 990.6, ["n"] = 1000, ["torch1"] = 1804.2 },
        [5] = { ["kiln1"] = 7030.9, ["kiln2"] = 7190.5, ["n"] = 10000, ["torch1"] = 3783.2 },
        [6] = { ["kiln1"] = 73175.3, ["kiln2"] = 39431.2, ["n"] = 100000, ["torch1"] = 22963.1 },
        [7] = { ["kiln1"] = 539542.2, ["kiln2"] = 308244.7, ["n"] = 1000000, ["torch1"] = 393115.2 },
        [8] = { ["kiln1"] = 11098724.5, ["kiln2"] = 5830735, ["n"] = 10000000, ["torch1"] = 32105954 },
        [9] = { ["kiln1"] = 586878884, ["kiln2"] = 56300097, ["n"] = 100000000 },
      },
    },
    [3] = {
      ["family"] = "reduce",
      ["name"] = "sum",
      ["points"] = {
        [1] = { ["kiln1"] = 767.5, ["kiln2"] = 641.8, ["n"] = 1, ["torch1"] = 3842.8 },
        [2] = { ["kiln1"] = 791.2, ["kiln2"] = 603.3, ["n"] = 10, ["torch1"] = 3976.6 },
        [3] = { ["kiln1"] = 788.8, ["kiln2"] = 731.2, ["n"] = 100, ["torch1"] = 3900.4 },
        [4] = { ["kiln1"] = 542.8, ["kiln2"] = 1001.9, ["n"] = 1000, ["torch1"] = 3988.1 },
        [5] = { ["kiln1"] = 1469.8, ["kiln2"] = 861.5, ["n"] = 10000, ["torch1"] = 4531.8 },
        [6] = { ["kiln1"] = 6810.6, ["kiln2"] = 5909, ["n"] = 100000, ["torch1"] = 9898.9 },
        [7] = { ["kiln1"] = 169687.5, ["kiln2"] = 76227.8, ["n"] = 1000000, ["torch1"] = 183414.4 },
        [8] = { ["kiln1"] = 1704229.4, ["kiln2"] = 1133827.8, ["n"] = 10000000, ["torch1"] = 1700269 },
        [9] = { ["kiln1"] = 40567407, ["kiln2"] = 19958844, ["n"] = 100000000 },
      },
    },
    [4] = {
      ["family"] = "reduce",
      ["name"] = "softmax",
      ["points"] = {
        [1] = { ["kiln1"] = 743.1, ["kiln2"] = 510.9, ["n"] = 1, ["torch1"] = 2735.9 },
        [2] = { ["kiln1"] = 835.6, ["kiln2"] = 420.3, ["n"] = 10, ["torch1"] = 3026.1 },
        [3] = { ["kiln1"] = 758.3, ["kiln2"] = 662.9, ["n"] = 100, ["torch1"] = 2762.4 },
        [4] = { ["kiln1"] = 1470.7, ["kiln2"] = 1744.8, ["n"] = 1000, ["torch1"] = 3745.8 },
        [5] = { ["kiln1"] = 12085, ["kiln2"] = 11534, ["n"] = 10000, ["torch1"] = 12312.3 },
        [6] = { ["kiln1"] = 127481.1, ["kiln2"] = 80900.1, ["n"] = 100000, ["torch1"] = 101428.3 },
        [7] = { ["kiln1"] = 1312565.8, ["kiln2"] = 696077.3, ["n"] = 1000000, ["torch1"] = 1152806 },
        [8] = { ["kiln1"] = 13916162, ["kiln2"] = 7859132, ["n"] = 10000000, ["torch1"] = 40758579 },
        [9] = { ["kiln1"] = 719077842, ["kiln2"] = 436064998, ["n"] = 100000000 },
      },
    },
    [5] = {
      ["family"] = "movement",
      ["name"] = "transposed",
      ["points"] = {
        [1] = { ["kiln1"] = 6.9, ["kiln2"] = 5.7, ["n"] = 1, ["torch1"] = 232.4 },
        [2] = { ["kiln1"] = 681.1, ["kiln2"] = 588.9, ["n"] = 100, ["torch1"] = 3697.8 },
        [3] = { ["kiln1"] = 16809.2, ["kiln2"] = 12797.6, ["n"] = 10000, ["torch1"] = 17679 },
        [4] = { ["kiln1"] = 769974.3, ["kiln2"] = 484342.2, ["n"] = 1000000, ["torch1"] = 2263438.6 },
        [5] = { ["kiln1"] = 711282522, ["kiln2"] = 405149350, ["n"] = 100000000 },
      },
    },
    [6] = {
      ["family"] = "movement",
      ["name"] = "cumsum",
      ["points"] = {
        [1] = { ["kiln1"] = 336.8, ["kiln2"] = 245.2, ["n"] = 1, ["torch1"] = 1943.4 },
        [2] = { ["kiln1"] = 295.8, ["kiln2"] = 272.9, ["n"] = 10, ["torch1"] = 1698 },
        [3] = { ["kiln1"] = 713.9, ["kiln2"] = 622, ["n"] = 100, ["torch1"] = 1853.4 },
        [4] = { ["kiln1"] = 4273.7, ["kiln2"] = 4585.9, ["n"] = 1000, ["torch1"] = 2893.5 },
        [5] = { ["kiln1"] = 9066.5, ["kiln2"] = 8198.5, ["n"] = 10000, ["torch1"] = 13258.6 },
        [6] = { ["kiln1"] = 81578.1, ["kiln2"] = 75587.3, ["n"] = 100000, ["torch1"] = 88371.1 },
        [7] = { ["kiln1"] = 1454763.1, ["kiln2"] = 1149120.1, ["n"] = 1000000, ["torch1"] = 2033005.7 },
        [8] = { ["kiln1"] = 16663478, ["kiln2"] = 14506589, ["n"] = 10000000, ["torch1"] = 32100247 },
        [9] = { ["kiln1"] = 648917127, ["kiln2"] = 127164352, ["n"] = 100000000 },
      },
    },
    [7] = {
      ["family"] = "movement",
      ["name"] = "sort",
      ["points"] = {
        [1] = { ["kiln1"] = 595.8, ["kiln2"] = 544.6, ["n"] = 1, ["torch1"] = 4727.9 },
        [2] = { ["kiln1"] = 756.9, ["kiln2"] = 557, ["n"] = 10, ["torch1"] = 4562.7 },
        [3] = { ["kiln1"] = 3944.4, ["kiln2"] = 4529.2, ["n"] = 100, ["torch1"] = 6322.6 },
        [4] = { ["kiln1"] = 19425.9, ["kiln2"] = 13816.4, ["n"] = 1000, ["torch1"] = 29486.5 },
        [5] = { ["kiln1"] = 135331.7, ["kiln2"] = 140450.5, ["n"] = 10000, ["torch1"] = 729675.3 },
        [6] = { ["kiln1"] = 1764435.9, ["kiln2"] = 1573659.8, ["n"] = 100000, ["torch1"] = 10524233.5 },
        [7] = { ["kiln1"] = 42147085, ["kiln2"] = 12018222.5, ["n"] = 1000000, ["torch1"] = 124974985 },
        [8] = { ["kiln1"] = 772815951, ["kiln2"] = 335159196, ["n"] = 10000000, ["torch1"] = 1785656164 },
      },
    },
    [8] = {
      ["family"] = "random",
      ["name"] = "rand",
      ["points"] = {
        [1] = { ["kiln1"] = 1673.1, ["kiln2"] = 1413.7, ["n"] = 1, ["torch1"] = 3473.7 },
        [2] = { ["kiln1"] = 1790.3, ["kiln2"] = 1940.6, ["n"] = 10, ["torch1"] = 3676.5 },
        [3] = { ["kiln1"] = 1106.3, ["kiln2"] = 966.7, ["n"] = 100, ["torch1"] = 2304.8 },
        [4] = { ["kiln1"] = 2939.4, ["kiln2"] = 1993.3, ["n"] = 1000, ["torch1"] = 6252.7 },
        [5] = { ["kiln1"] = 11881.9, ["kiln2"] = 13808.7, ["n"] = 10000, ["torch1"] = 72937.6 },
        [6] = { ["kiln1"] = 128503.6, ["kiln2"] = 59259.4, ["n"] = 100000, ["torch1"] = 754025.4 },
        [7] = { ["kiln1"] = 1241060.3, ["kiln2"] = 614036.4, ["n"] = 1000000, ["torch1"] = 7785571 },
        [8] = { ["kiln1"] = 18459312, ["kiln2"] = 6266431.5, ["n"] = 10000000, ["torch1"] = 96097370 },
        [9] = { ["kiln1"] = 634344610, ["kiln2"] = 61303549, ["n"] = 100000000 },
      },
    },
    [9] = {
      ["family"] = "matmul",
      ["name"] = "product",
      ["points"] = {
        [1] = { ["kiln1"] = 721.2, ["kiln2"] = 673.3, ["n"] = 1, ["torch1"] = 3307.2 },
        [2] = { ["kiln1"] = 797.1, ["kiln2"] = 774.8, ["n"] = 100, ["torch1"] = 2147.9 },
        [3] = { ["kiln1"] = 26788, ["kiln2"] = 25249.6, ["n"] = 10000, ["torch1"] = 28797.8 },
        [4] = { ["kiln1"] = 22917513, ["kiln2"] = 11526388, ["n"] = 1000000, ["torch1"] = 19125400 },
      },
    },
    [10] = {
      ["family"] = "conv",
      ["name"] = "forward",
      ["points"] = {
        [1] = { ["kiln1"] = 10010.2, ["kiln2"] = 7111.1, ["n"] = 1, ["torch1"] = 5160.6 },
        [2] = { ["kiln1"] = 8830.3, ["kiln2"] = 7962.5, ["n"] = 100, ["torch1"] = 5931.1 },
        [3] = { ["kiln1"] = 47904.8, ["kiln2"] = 47106.4, ["n"] = 10000, ["torch1"] = 32165 },
        [4] = { ["kiln1"] = 16090259, ["kiln2"] = 15030130, ["n"] = 1000000, ["torch1"] = 57310347 },
        [5] = { ["kiln1"] = 5983197866, ["kiln2"] = 5839024565, ["n"] = 100000000 },
      },
    },
    [11] = {
      ["family"] = "optim",
      ["name"] = "adam",
      ["points"] = {
        [1] = { ["kiln1"] = 5228.6, ["kiln2"] = 5067, ["n"] = 1, ["torch1"] = 72059.7 },
        [2] = { ["kiln1"] = 5243.2, ["kiln2"] = 5673.2, ["n"] = 10, ["torch1"] = 77546.9 },
        [3] = { ["kiln1"] = 5102.6, ["kiln2"] = 5311.9, ["n"] = 100, ["torch1"] = 67887.6 },
        [4] = { ["kiln1"] = 6193.6, ["kiln2"] = 9080.1, ["n"] = 1000, ["torch1"] = 72441 },
        [5] = { ["kiln1"] = 14410.2, ["kiln2"] = 14700.6, ["n"] = 10000, ["torch1"] = 132408.6 },
        [6] = { ["kiln1"] = 73875.7, ["kiln2"] = 38607.6, ["n"] = 100000, ["torch1"] = 336817.4 },
        [7] = { ["kiln1"] = 829605, ["kiln2"] = 444549.7, ["n"] = 1000000, ["torch1"] = 4597450.5 },
        [8] = { ["kiln1"] = 16610252, ["kiln2"] = 8748186, ["n"] = 10000000, ["torch1"] = 112209771 },
        [9] = { ["kiln1"] = 179716828, ["kiln2"] = 97004089, ["n"] = 100000000 },
      },
    },
    [12] = {
      ["family"] = "fused",
      ["name"] = "expression",
      ["points"] = {
        [1] = { ["kiln1"] = 28588.4, ["kiln2"] = 29768.4, ["n"] = 1, ["torch1"] = 114390.6 },
        [2] = { ["kiln1"] = 31839.5, ["kiln2"] = 31950.4, ["n"] = 10, ["torch1"] = 114563.6 },
        [3] = { ["kiln1"] = 33525.8, ["kiln2"] = 33510.3, ["n"] = 100, ["torch1"] = 125431 },
        [4] = { ["kiln1"] = 37981, ["kiln2"] = 39015.9, ["n"] = 1000, ["torch1"] = 127195.5 },
        [5] = { ["kiln1"] = 58718.5, ["kiln2"] = 63064.3, ["n"] = 10000, ["torch1"] = 128616.1 },
        [6] = { ["kiln1"] = 408271.1, ["kiln2"] = 278456.7, ["n"] = 100000, ["torch1"] = 912696.4 },
        [7] = { ["kiln1"] = 3797543.5, ["kiln2"] = 2453744.3, ["n"] = 1000000, ["torch1"] = 10212877 },
        [8] = { ["kiln1"] = 47029051, ["kiln2"] = 36383297, ["n"] = 10000000, ["torch1"] = 363138334 },
        [9] = { ["kiln1"] = 320413313, ["kiln2"] = 228108382, ["n"] = 100000000 },
      },
    },
  },
  ["peaks"] = {
    ["training.cnn 64"] = { ["kiln"] = 130416, ["torch"] = 811148 },
    ["training.gpt 6x384x6x8x256"] = { ["kiln"] = 851584, ["torch"] = 1275280 },
    ["training.gru 32x64"] = { ["kiln"] = 104396, ["torch"] = 772060 },
    ["training.lstm 32x64"] = { ["kiln"] = 99952, ["torch"] = 780532 },
    ["training.mlp 64"] = { ["kiln"] = 85676, ["torch"] = 714136 },
    ["training.resnet18 8x64"] = { ["kiln"] = 282628, ["torch"] = 912516 },
  },
  ["seconds"] = 598.4813953,
  ["threads"] = { [1] = 1, [2] = 2 },
  ["versions"] = { ["blas"] = "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY USE_OPENMP SkylakeX MAX_THREADS=64", ["jax"] = "0.10.2", ["kiln"] = "0.1.0", ["luajit"] = "LuaJIT 2.1.0-beta3", ["onednn"] = "2.6.3", ["torch"] = "2.15.0+cu132" },
}
