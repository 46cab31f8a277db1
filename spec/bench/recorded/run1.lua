-- Measured by spec/bench/run.sh.
return {
  ["cases"] = {
    ["conv.batch_norm 32x64x56"] = {
      [1] = {
        ["kiln"] = { ["least"] = 13326782.5, ["median"] = 15039695.5 },
        ["torch"] = { ["least"] = 31162622, ["median"] = 31439882 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6067986, ["median"] = 8679259 },
        ["torch"] = { ["least"] = 16095338, ["median"] = 19081828 },
      },
    },
    ["conv.both 32x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 172611995, ["median"] = 256812204 },
        ["torch"] = { ["least"] = 196922312, ["median"] = 295026609 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 111252205, ["median"] = 116368972 },
        ["torch"] = { ["least"] = 156190232, ["median"] = 156747300 },
      },
    },
    ["conv.both 32x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 26245321, ["median"] = 26571668 },
        ["torch"] = { ["least"] = 36024615, ["median"] = 36971442 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 10274657.5, ["median"] = 12708177.5 },
        ["torch"] = { ["least"] = 13984983, ["median"] = 16598533.5 },
      },
    },
    ["conv.both 32x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 95807744, ["median"] = 97293898 },
        ["torch"] = { ["least"] = 104331152, ["median"] = 106583151 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 50024003, ["median"] = 51637996 },
        ["torch"] = { ["least"] = 56996404, ["median"] = 59422497 },
      },
    },
    ["conv.both 32x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 148699906, ["median"] = 157565794 },
        ["torch"] = { ["least"] = 145072344, ["median"] = 150565757 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 78827184, ["median"] = 81692915 },
        ["torch"] = { ["least"] = 80147749, ["median"] = 81751333 },
      },
    },
    ["conv.both 32x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 15364813, ["median"] = 15710829 },
        ["torch"] = { ["least"] = 20131378, ["median"] = 21712220 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 11572981.5, ["median"] = 14913334.75 },
        ["torch"] = { ["least"] = 17605661, ["median"] = 22250051.5 },
      },
    },
    ["conv.both 32x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 90822411, ["median"] = 91092829 },
        ["torch"] = { ["least"] = 100778546, ["median"] = 105901647 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 56388676, ["median"] = 62399337 },
        ["torch"] = { ["least"] = 56611989, ["median"] = 61748141 },
      },
    },
    ["conv.both 32x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 459413140, ["median"] = 472404459 },
        ["torch"] = { ["least"] = 688961004, ["median"] = 722035434 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 228957027, ["median"] = 244130992 },
        ["torch"] = { ["least"] = 404246147, ["median"] = 406275236 },
      },
    },
    ["conv.both 32x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 156472615, ["median"] = 158835317 },
        ["torch"] = { ["least"] = 151971875, ["median"] = 198080444 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 100703615, ["median"] = 105327980 },
        ["torch"] = { ["least"] = 96071580, ["median"] = 99337485 },
      },
    },
    ["conv.both 32x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 32965711, ["median"] = 33631237 },
        ["torch"] = { ["least"] = 90111217, ["median"] = 94542926 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 15758461, ["median"] = 18781287 },
        ["torch"] = { ["least"] = 49260532, ["median"] = 55476102 },
      },
    },
    ["conv.both 32x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 107265460, ["median"] = 112357269 },
        ["torch"] = { ["least"] = 157209334, ["median"] = 161794310 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 61232877, ["median"] = 66419082 },
        ["torch"] = { ["least"] = 96487583, ["median"] = 98015371 },
      },
    },
    ["conv.both 32x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 184478130, ["median"] = 186928086 },
        ["torch"] = { ["least"] = 229438289, ["median"] = 239752492 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 85958618, ["median"] = 90033804 },
        ["torch"] = { ["least"] = 115186453, ["median"] = 117255516 },
      },
    },
    ["conv.both 8x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 36834957, ["median"] = 40349477 },
        ["torch"] = { ["least"] = 40375523, ["median"] = 41682533 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 23091395, ["median"] = 23929070 },
        ["torch"] = { ["least"] = 21914501, ["median"] = 25171362.5 },
      },
    },
    ["conv.both 8x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3674483.5, ["median"] = 4142269.9 },
        ["torch"] = { ["least"] = 5726740.3, ["median"] = 6246603.65 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2011102.1, ["median"] = 2637820.8 },
        ["torch"] = { ["least"] = 3458138.4, ["median"] = 4382266.9 },
      },
    },
    ["conv.both 8x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 24361482, ["median"] = 25024671 },
        ["torch"] = { ["least"] = 24282206, ["median"] = 25541233 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 13401544, ["median"] = 14681630.25 },
        ["torch"] = { ["least"] = 13489191, ["median"] = 18004801.5 },
      },
    },
    ["conv.both 8x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 35145226, ["median"] = 36242533 },
        ["torch"] = { ["least"] = 35338976, ["median"] = 36704951 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 17167331, ["median"] = 19694860 },
        ["torch"] = { ["least"] = 16614153, ["median"] = 19989371 },
      },
    },
    ["conv.both 8x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3100589.8, ["median"] = 3295776.8 },
        ["torch"] = { ["least"] = 4201742.5, ["median"] = 4721346.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2245464.2, ["median"] = 4133746.15 },
        ["torch"] = { ["least"] = 3461924, ["median"] = 4481071.5 },
      },
    },
    ["conv.both 8x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 23830560, ["median"] = 24755992 },
        ["torch"] = { ["least"] = 25423744, ["median"] = 28013661 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 12275053, ["median"] = 14895356.5 },
        ["torch"] = { ["least"] = 13810132.5, ["median"] = 16651628 },
      },
    },
    ["conv.both 8x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 98078623, ["median"] = 100129204 },
        ["torch"] = { ["least"] = 114466469, ["median"] = 118113021 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 46920867, ["median"] = 54088246 },
        ["torch"] = { ["least"] = 59492112, ["median"] = 63424326 },
      },
    },
    ["conv.both 8x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 42500737, ["median"] = 42581298 },
        ["torch"] = { ["least"] = 39290700, ["median"] = 42262189 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 20675908, ["median"] = 25445890 },
        ["torch"] = { ["least"] = 20488649, ["median"] = 24340953.5 },
      },
    },
    ["conv.both 8x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5938179.3, ["median"] = 6263217 },
        ["torch"] = { ["least"] = 8692525, ["median"] = 10714711.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3004869, ["median"] = 4385672.3 },
        ["torch"] = { ["least"] = 4963385.5, ["median"] = 6073963.9 },
      },
    },
    ["conv.both 8x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 23899700, ["median"] = 27425253 },
        ["torch"] = { ["least"] = 28088117, ["median"] = 34880967 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 12204082, ["median"] = 16169209 },
        ["torch"] = { ["least"] = 14605186, ["median"] = 16194418.5 },
      },
    },
    ["conv.both 8x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 43998151, ["median"] = 66837132 },
        ["torch"] = { ["least"] = 44127448, ["median"] = 95027638 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 19662614, ["median"] = 20933742 },
        ["torch"] = { ["least"] = 20658433, ["median"] = 27658040 },
      },
    },
    ["conv.forward 32x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 49614424, ["median"] = 50228986 },
        ["torch"] = { ["least"] = 51927113, ["median"] = 52515144 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 28167864, ["median"] = 29794200 },
        ["torch"] = { ["least"] = 29231665, ["median"] = 32322177 },
      },
    },
    ["conv.forward 32x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7073722.7, ["median"] = 8815934.35 },
        ["torch"] = { ["least"] = 8511965.7, ["median"] = 9340208.65 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3371886, ["median"] = 4574395.1 },
        ["torch"] = { ["least"] = 3312300.8, ["median"] = 4468889.1 },
      },
    },
    ["conv.forward 32x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 27683506, ["median"] = 28109697.5 },
        ["torch"] = { ["least"] = 29664639, ["median"] = 30098894.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 15836780, ["median"] = 18714754 },
        ["torch"] = { ["least"] = 19001463, ["median"] = 20161334 },
      },
    },
    ["conv.forward 32x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 43738467, ["median"] = 46348590 },
        ["torch"] = { ["least"] = 43806789, ["median"] = 45570360 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 30853718, ["median"] = 33964720 },
        ["torch"] = { ["least"] = 26400606, ["median"] = 30352665 },
      },
    },
    ["conv.forward 32x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 4197663, ["median"] = 4633190.85 },
        ["torch"] = { ["least"] = 4581154.7, ["median"] = 5597718.25 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3035562.2, ["median"] = 3916493.5 },
        ["torch"] = { ["least"] = 4283669.7, ["median"] = 6420267.5 },
      },
    },
    ["conv.forward 32x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 29411526, ["median"] = 29524344 },
        ["torch"] = { ["least"] = 30757467, ["median"] = 31522618.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 15360312, ["median"] = 22629632 },
        ["torch"] = { ["least"] = 16154991, ["median"] = 22414058 },
      },
    },
    ["conv.forward 32x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 58909277, ["median"] = 59273262 },
        ["torch"] = { ["least"] = 153879176, ["median"] = 154244271 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 34362190, ["median"] = 35239753 },
        ["torch"] = { ["least"] = 100263822, ["median"] = 106671546 },
      },
    },
    ["conv.forward 32x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 44094382, ["median"] = 49003205 },
        ["torch"] = { ["least"] = 44901118, ["median"] = 45222098 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 47340714, ["median"] = 50584843 },
        ["torch"] = { ["least"] = 53605971, ["median"] = 60341580 },
      },
    },
    ["conv.forward 32x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7966094.5, ["median"] = 9182602 },
        ["torch"] = { ["least"] = 10953305.5, ["median"] = 11642015.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4181068, ["median"] = 4768106.7 },
        ["torch"] = { ["least"] = 12061209.3, ["median"] = 12919544.3 },
      },
    },
    ["conv.forward 32x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 24987810, ["median"] = 26929853 },
        ["torch"] = { ["least"] = 28817854, ["median"] = 30780340 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 17161588, ["median"] = 20700400 },
        ["torch"] = { ["least"] = 23206724, ["median"] = 24526950 },
      },
    },
    ["conv.forward 32x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 54172704, ["median"] = 55831908 },
        ["torch"] = { ["least"] = 59910653, ["median"] = 60805793 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 29000362, ["median"] = 29348984 },
        ["torch"] = { ["least"] = 39595877, ["median"] = 43297220 },
      },
    },
    ["conv.forward 8x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 11427479, ["median"] = 11877108 },
        ["torch"] = { ["least"] = 11681620, ["median"] = 12405650.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5855005.3, ["median"] = 6883100.7 },
        ["torch"] = { ["least"] = 5885880.7, ["median"] = 7738112.7 },
      },
    },
    ["conv.forward 8x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1209834.2, ["median"] = 1309887.7 },
        ["torch"] = { ["least"] = 1359140.5, ["median"] = 1522432.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 638735.1, ["median"] = 963979.8 },
        ["torch"] = { ["least"] = 770090.4, ["median"] = 1059223.3 },
      },
    },
    ["conv.forward 8x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6859787.5, ["median"] = 7062092 },
        ["torch"] = { ["least"] = 6425529.7, ["median"] = 6871201 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3734967.6, ["median"] = 4464415.8 },
        ["torch"] = { ["least"] = 3734626.8, ["median"] = 4551012.5 },
      },
    },
    ["conv.forward 8x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 11109154.5, ["median"] = 13227174 },
        ["torch"] = { ["least"] = 11332569, ["median"] = 11522957 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6061448, ["median"] = 7707199.5 },
        ["torch"] = { ["least"] = 5521563.7, ["median"] = 7272251.65 },
      },
    },
    ["conv.forward 8x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1062194.5, ["median"] = 1152913.6 },
        ["torch"] = { ["least"] = 1071681.4, ["median"] = 1141825.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 588437.8, ["median"] = 749709 },
        ["torch"] = { ["least"] = 631043.6, ["median"] = 825673.5 },
      },
    },
    ["conv.forward 8x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6591561.7, ["median"] = 6973249 },
        ["torch"] = { ["least"] = 6580884.7, ["median"] = 7042813.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3579612.2, ["median"] = 4686445.8 },
        ["torch"] = { ["least"] = 3386195, ["median"] = 4314368.1 },
      },
    },
    ["conv.forward 8x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 15350462, ["median"] = 15389271 },
        ["torch"] = { ["least"] = 36111195, ["median"] = 37200460 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7923843.5, ["median"] = 8414893.5 },
        ["torch"] = { ["least"] = 20083842, ["median"] = 22733215 },
      },
    },
    ["conv.forward 8x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 12036968, ["median"] = 12759822 },
        ["torch"] = { ["least"] = 12275234.5, ["median"] = 12936965.75 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6470205, ["median"] = 7758439.3 },
        ["torch"] = { ["least"] = 6118069, ["median"] = 7833225.15 },
      },
    },
    ["conv.forward 8x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1688734, ["median"] = 1963006.15 },
        ["torch"] = { ["least"] = 1785026, ["median"] = 2178684.85 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 966861.2, ["median"] = 1335449.9 },
        ["torch"] = { ["least"] = 1014334.8, ["median"] = 1572428 },
      },
    },
    ["conv.forward 8x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6906042.5, ["median"] = 7545956.5 },
        ["torch"] = { ["least"] = 7643309, ["median"] = 8634782.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3440691, ["median"] = 4379676.5 },
        ["torch"] = { ["least"] = 3600040.6, ["median"] = 4530788.9 },
      },
    },
    ["conv.forward 8x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 11604074, ["median"] = 11939917.5 },
        ["torch"] = { ["least"] = 12512320, ["median"] = 12689153 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6062394.7, ["median"] = 7481517.3 },
        ["torch"] = { ["least"] = 6402188, ["median"] = 8137164.3 },
      },
    },
    ["conv.max_pool 32x64x56"] = {
      [1] = {
        ["kiln"] = { ["least"] = 33925597, ["median"] = 33966222 },
        ["torch"] = { ["least"] = 93808393, ["median"] = 103970171 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 18995815, ["median"] = 25523125 },
        ["torch"] = { ["least"] = 46158562, ["median"] = 50740535 },
      },
    },
    ["fused.expression 10000000"] = {
      [1] = {
        ["jax"] = { ["least"] = 93793508, ["median"] = 98390060 },
        ["kiln"] = { ["least"] = 30542940, ["median"] = 31599588 },
        ["torch"] = { ["least"] = 253197901, ["median"] = 264023893 },
      },
      [2] = {
        ["jax"] = { ["least"] = 55024464, ["median"] = 67021731 },
        ["kiln"] = { ["least"] = 23486695, ["median"] = 25613850 },
        ["torch"] = { ["least"] = 168403523, ["median"] = 172721555 },
      },
    },
    ["matmul.batched 64x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 293829.7, ["median"] = 313006.5 },
        ["torch"] = { ["least"] = 269208, ["median"] = 281171.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 159079.2, ["median"] = 216573.4 },
        ["torch"] = { ["least"] = 114172.4, ["median"] = 148345.7 },
      },
    },
    ["matmul.left_transposed 1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 15503104, ["median"] = 15872514 },
        ["torch"] = { ["least"] = 14107034, ["median"] = 14453095.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8059386.3, ["median"] = 9609986.35 },
        ["torch"] = { ["least"] = 7239323.5, ["median"] = 9305101.5 },
      },
    },
    ["matmul.product 1024x1024x1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 14791932.5, ["median"] = 15730740 },
        ["torch"] = { ["least"] = 14041818.5, ["median"] = 14795222 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7167192, ["median"] = 9841375.5 },
        ["torch"] = { ["least"] = 7196941, ["median"] = 9915414.5 },
      },
    },
    ["matmul.product 128x128x128"] = {
      [1] = {
        ["kiln"] = { ["least"] = 29173.9, ["median"] = 30526.4 },
        ["torch"] = { ["least"] = 26295.7, ["median"] = 27400.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 28459.2, ["median"] = 31716.5 },
        ["torch"] = { ["least"] = 19304, ["median"] = 19934.4 },
      },
    },
    ["matmul.product 1x512x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 170251.7, ["median"] = 174137.5 },
        ["torch"] = { ["least"] = 165337.6, ["median"] = 176368.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 57205.7, ["median"] = 79473.4 },
        ["torch"] = { ["least"] = 47609.5, ["median"] = 70145.6 },
      },
    },
    ["matmul.product 2048x2048x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 114049850, ["median"] = 115617947 },
        ["torch"] = { ["least"] = 108566576, ["median"] = 108953591 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 56478584, ["median"] = 60632962 },
        ["torch"] = { ["least"] = 56857444, ["median"] = 60617708 },
      },
    },
    ["matmul.product 20x650x2600"] = {
      [1] = {
        ["kiln"] = { ["least"] = 678308.5, ["median"] = 721006.9 },
        ["torch"] = { ["least"] = 674301.5, ["median"] = 746370.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 332984.7, ["median"] = 457111.6 },
        ["torch"] = { ["least"] = 350824.4, ["median"] = 471679 },
      },
    },
    ["matmul.product 256x256x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 205942.8, ["median"] = 218087.1 },
        ["torch"] = { ["least"] = 209063, ["median"] = 214083.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 117927.4, ["median"] = 159044.1 },
        ["torch"] = { ["least"] = 111078.3, ["median"] = 148245.2 },
      },
    },
    ["matmul.product 512x512x512"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1660304.4, ["median"] = 1764094.9 },
        ["torch"] = { ["least"] = 1678638.4, ["median"] = 1743748.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 931264.5, ["median"] = 1194864.9 },
        ["torch"] = { ["least"] = 871720.1, ["median"] = 1144453 },
      },
    },
    ["matmul.product 64x64x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5340.3, ["median"] = 5711.8 },
        ["torch"] = { ["least"] = 7696.3, ["median"] = 8093.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4436.6, ["median"] = 4812 },
        ["torch"] = { ["least"] = 6681.2, ["median"] = 9711.8 },
      },
    },
    ["matmul.product 64x784x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 154546.5, ["median"] = 156614.1 },
        ["torch"] = { ["least"] = 150882.4, ["median"] = 153214.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 83665.9, ["median"] = 118948 },
        ["torch"] = { ["least"] = 104652.1, ["median"] = 137836.2 },
      },
    },
    ["matmul.right_transposed 1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 13929800, ["median"] = 14280277.5 },
        ["torch"] = { ["least"] = 13909583, ["median"] = 14584559 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6715813, ["median"] = 9408663.75 },
        ["torch"] = { ["least"] = 7863973, ["median"] = 9030631 },
      },
    },
    ["movement.add_transposed 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 844026.8, ["median"] = 872375.6 },
        ["torch"] = { ["least"] = 894158.3, ["median"] = 1069310.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 616293.8, ["median"] = 869808.6 },
        ["torch"] = { ["least"] = 808336.1, ["median"] = 1185724.2 },
      },
    },
    ["movement.cat 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 300565.2, ["median"] = 355764.6 },
        ["torch"] = { ["least"] = 361319.7, ["median"] = 429834 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 153315.5, ["median"] = 255027.6 },
        ["torch"] = { ["least"] = 189699.3, ["median"] = 287074.1 },
      },
    },
    ["movement.cumsum 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 685519.1, ["median"] = 761577.8 },
        ["torch"] = { ["least"] = 775049, ["median"] = 856577.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 513190.5, ["median"] = 541038.7 },
        ["torch"] = { ["least"] = 737391.3, ["median"] = 819559.9 },
      },
    },
    ["movement.embedding_backward 50257x384x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 8939821, ["median"] = 9029451.5 },
        ["torch"] = { ["least"] = 41930026, ["median"] = 42891352 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8373092, ["median"] = 9787060.7 },
        ["torch"] = { ["least"] = 23015023, ["median"] = 27313903 },
      },
    },
    ["movement.gather 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1126083.7, ["median"] = 1307842.8 },
        ["torch"] = { ["least"] = 1269447.9, ["median"] = 1616352.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 808188.4, ["median"] = 1241874.5 },
        ["torch"] = { ["least"] = 813385.6, ["median"] = 1275675.7 },
      },
    },
    ["movement.index_select 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 309130.3, ["median"] = 329261.6 },
        ["torch"] = { ["least"] = 405545.5, ["median"] = 475919.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 160585.9, ["median"] = 211763.1 },
        ["torch"] = { ["least"] = 168603.2, ["median"] = 253759.1 },
      },
    },
    ["movement.masked_select 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1127722.2, ["median"] = 1225045.5 },
        ["torch"] = { ["least"] = 3991434.5, ["median"] = 5548821.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 753407.9, ["median"] = 1041274.85 },
        ["torch"] = { ["least"] = 4784177.7, ["median"] = 6979318.15 },
      },
    },
    ["movement.sort 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 26188597, ["median"] = 30163360 },
        ["torch"] = { ["least"] = 95931547, ["median"] = 96361499 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 9583206.5, ["median"] = 12159534.5 },
        ["torch"] = { ["least"] = 103684989, ["median"] = 104477475 },
      },
    },
    ["movement.topk 1000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 546355.7, ["median"] = 567050 },
        ["torch"] = { ["least"] = 3707212.3, ["median"] = 4630751.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 517038.9, ["median"] = 539649.2 },
        ["torch"] = { ["least"] = 3336014.2, ["median"] = 3898014.4 },
      },
    },
    ["movement.transposed 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 751852.2, ["median"] = 836971.7 },
        ["torch"] = { ["least"] = 2242564.8, ["median"] = 2542958 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 423863.1, ["median"] = 456044.1 },
        ["torch"] = { ["least"] = 2538874.5, ["median"] = 2850573.2 },
      },
    },
    ["optim.adam 10000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 15166456, ["median"] = 15289858 },
        ["torch"] = { ["least"] = 35292738, ["median"] = 35681585 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8363519, ["median"] = 10494337.75 },
        ["torch"] = { ["least"] = 21867086, ["median"] = 25527793.5 },
      },
    },
    ["optim.adam_fused 10000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 17587644, ["median"] = 17950186 },
        ["torch"] = { ["least"] = 19152840, ["median"] = 19333140 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 11350779, ["median"] = 13101485.5 },
        ["torch"] = { ["least"] = 10969528.5, ["median"] = 14064501.5 },
      },
    },
    ["pointwise.add 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1028.2, ["median"] = 1088.7 },
        ["torch"] = { ["least"] = 1392, ["median"] = 1419.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 878.7, ["median"] = 1036.8 },
        ["torch"] = { ["least"] = 1706.5, ["median"] = 1787.4 },
      },
    },
    ["pointwise.add 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 66129.4, ["median"] = 76079.4 },
        ["torch"] = { ["least"] = 39569, ["median"] = 40621.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 42430.1, ["median"] = 64942.5 },
        ["torch"] = { ["least"] = 16684.1, ["median"] = 23592.7 },
      },
    },
    ["pointwise.add 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 496300, ["median"] = 554331.2 },
        ["torch"] = { ["least"] = 576308.1, ["median"] = 650878.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 265283.7, ["median"] = 376100.2 },
        ["torch"] = { ["least"] = 294271.8, ["median"] = 443670.5 },
      },
    },
    ["pointwise.add 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6749536, ["median"] = 7184790 },
        ["torch"] = { ["least"] = 23897441, ["median"] = 24021024 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2526623, ["median"] = 3594792 },
        ["torch"] = { ["least"] = 16767198, ["median"] = 18365543 },
      },
    },
    ["pointwise.add_column 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1393.4, ["median"] = 2013.6 },
        ["torch"] = { ["least"] = 1753, ["median"] = 3262.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1746.7, ["median"] = 2246.4 },
        ["torch"] = { ["least"] = 3119.8, ["median"] = 3344.9 },
      },
    },
    ["pointwise.add_column 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 40497.8, ["median"] = 46984.3 },
        ["torch"] = { ["least"] = 15170.5, ["median"] = 15579.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 26907.7, ["median"] = 46549.4 },
        ["torch"] = { ["least"] = 9665.1, ["median"] = 13029.5 },
      },
    },
    ["pointwise.add_column 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 389133.3, ["median"] = 460416 },
        ["torch"] = { ["least"] = 383693.2, ["median"] = 410414 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 201664.1, ["median"] = 292427.4 },
        ["torch"] = { ["least"] = 205671.1, ["median"] = 281295.6 },
      },
    },
    ["pointwise.add_column 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3180781.4, ["median"] = 3864524.4 },
        ["torch"] = { ["least"] = 20543011, ["median"] = 21015264.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1636928.6, ["median"] = 2084780.1 },
        ["torch"] = { ["least"] = 12509406.5, ["median"] = 13873573.5 },
      },
    },
    ["pointwise.add_in_place 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 308.8, ["median"] = 311.5 },
        ["torch"] = { ["least"] = 2136.1, ["median"] = 2325.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 309.6, ["median"] = 311.2 },
        ["torch"] = { ["least"] = 2318.2, ["median"] = 2351 },
      },
    },
    ["pointwise.add_in_place 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 11218.2, ["median"] = 12296.7 },
        ["torch"] = { ["least"] = 16020.4, ["median"] = 17361.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7507.6, ["median"] = 9706.3 },
        ["torch"] = { ["least"] = 8323.2, ["median"] = 11322.5 },
      },
    },
    ["pointwise.add_in_place 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 343707.3, ["median"] = 360975.3 },
        ["torch"] = { ["least"] = 366177.3, ["median"] = 380879 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 168155.4, ["median"] = 242359.8 },
        ["torch"] = { ["least"] = 176418.7, ["median"] = 253343.7 },
      },
    },
    ["pointwise.add_in_place 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3504940.6, ["median"] = 4471684.5 },
        ["torch"] = { ["least"] = 3459059, ["median"] = 4340212.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1714497.1, ["median"] = 2425373.45 },
        ["torch"] = { ["least"] = 1730515.3, ["median"] = 2379656.1 },
      },
    },
    ["pointwise.add_row 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1097.1, ["median"] = 1131.6 },
        ["torch"] = { ["least"] = 1904.8, ["median"] = 1963 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1283.7, ["median"] = 1352.5 },
        ["torch"] = { ["least"] = 1853.1, ["median"] = 1953.7 },
      },
    },
    ["pointwise.add_row 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 40350.1, ["median"] = 45906.9 },
        ["torch"] = { ["least"] = 15114.9, ["median"] = 15396.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 27335, ["median"] = 39851.3 },
        ["torch"] = { ["least"] = 9618.1, ["median"] = 13420.3 },
      },
    },
    ["pointwise.add_row 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 384463, ["median"] = 438256.9 },
        ["torch"] = { ["least"] = 415116, ["median"] = 458500 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 207712.5, ["median"] = 248640.6 },
        ["torch"] = { ["least"] = 220244, ["median"] = 301127.8 },
      },
    },
    ["pointwise.add_row 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2995908.7, ["median"] = 3669760.7 },
        ["torch"] = { ["least"] = 19828899, ["median"] = 20183091 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1678101.4, ["median"] = 2001779.85 },
        ["torch"] = { ["least"] = 12661423, ["median"] = 13983726.25 },
      },
    },
    ["pointwise.exp 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1362.6, ["median"] = 1469.6 },
        ["torch"] = { ["least"] = 3046.2, ["median"] = 3229.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1482.3, ["median"] = 1833.1 },
        ["torch"] = { ["least"] = 5286.9, ["median"] = 5647 },
      },
    },
    ["pointwise.exp 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 54008, ["median"] = 107466.2 },
        ["torch"] = { ["least"] = 21166.7, ["median"] = 65985.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 43503.1, ["median"] = 65839.9 },
        ["torch"] = { ["least"] = 17145, ["median"] = 38781.8 },
      },
    },
    ["pointwise.exp 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 338657.2, ["median"] = 356053.4 },
        ["torch"] = { ["least"] = 381952.4, ["median"] = 401791.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 160252.6, ["median"] = 245677.5 },
        ["torch"] = { ["least"] = 179113.4, ["median"] = 243674.2 },
      },
    },
    ["pointwise.exp 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3298963.2, ["median"] = 3778112.8 },
        ["torch"] = { ["least"] = 22588130, ["median"] = 23101893 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2308889.3, ["median"] = 2417067.3 },
        ["torch"] = { ["least"] = 15984043.5, ["median"] = 16932056 },
      },
    },
    ["pointwise.gelu 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2355.5, ["median"] = 3003.2 },
        ["torch"] = { ["least"] = 19732.6, ["median"] = 20182.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2341.2, ["median"] = 2982.2 },
        ["torch"] = { ["least"] = 21127.4, ["median"] = 22256.8 },
      },
    },
    ["pointwise.gelu 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 194793.5, ["median"] = 206005 },
        ["torch"] = { ["least"] = 94041.5, ["median"] = 94644.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 92511.2, ["median"] = 143860.1 },
        ["torch"] = { ["least"] = 45511.1, ["median"] = 67076.8 },
      },
    },
    ["pointwise.gelu 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 596386.6, ["median"] = 635217.1 },
        ["torch"] = { ["least"] = 501317.9, ["median"] = 570841.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 447783.2, ["median"] = 603747.9 },
        ["torch"] = { ["least"] = 297870.3, ["median"] = 430286.6 },
      },
    },
    ["pointwise.gelu 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5388810.3, ["median"] = 5609123.85 },
        ["torch"] = { ["least"] = 23353651, ["median"] = 23625470 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2762620.4, ["median"] = 3131012.2 },
        ["torch"] = { ["least"] = 13735894.5, ["median"] = 15476674 },
      },
    },
    ["pointwise.mul 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 863.6, ["median"] = 926.1 },
        ["torch"] = { ["least"] = 1393.3, ["median"] = 1437.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 865.9, ["median"] = 938.4 },
        ["torch"] = { ["least"] = 1478.8, ["median"] = 1508.2 },
      },
    },
    ["pointwise.mul 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 64136.7, ["median"] = 78646.9 },
        ["torch"] = { ["least"] = 35852.2, ["median"] = 38040.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 29254.8, ["median"] = 46090.5 },
        ["torch"] = { ["least"] = 10585, ["median"] = 15811.2 },
      },
    },
    ["pointwise.mul 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 485116.3, ["median"] = 519610.7 },
        ["torch"] = { ["least"] = 586734.4, ["median"] = 672236.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 259325.5, ["median"] = 379961.1 },
        ["torch"] = { ["least"] = 291730.7, ["median"] = 432546.2 },
      },
    },
    ["pointwise.mul 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7534023, ["median"] = 8212918.3 },
        ["torch"] = { ["least"] = 28744823, ["median"] = 28895106 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2073315.1, ["median"] = 2669175.7 },
        ["torch"] = { ["least"] = 14727466, ["median"] = 17285372 },
      },
    },
    ["pointwise.relu 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1064, ["median"] = 1218.7 },
        ["torch"] = { ["least"] = 2582.8, ["median"] = 2743.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1459.2, ["median"] = 1566.8 },
        ["torch"] = { ["least"] = 3187.8, ["median"] = 3270.8 },
      },
    },
    ["pointwise.relu 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 34428.8, ["median"] = 40610.7 },
        ["torch"] = { ["least"] = 14503.7, ["median"] = 14977.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 29965.3, ["median"] = 42247.2 },
        ["torch"] = { ["least"] = 11089.6, ["median"] = 16267.7 },
      },
    },
    ["pointwise.relu 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 356972.8, ["median"] = 387836.2 },
        ["torch"] = { ["least"] = 454716.1, ["median"] = 506529.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 176258.6, ["median"] = 265127.1 },
        ["torch"] = { ["least"] = 211074.6, ["median"] = 317169.2 },
      },
    },
    ["pointwise.relu 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2511751.4, ["median"] = 3439911 },
        ["torch"] = { ["least"] = 20542946, ["median"] = 21411701 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1475128.2, ["median"] = 1807976.15 },
        ["torch"] = { ["least"] = 12444307, ["median"] = 14774055.5 },
      },
    },
    ["pointwise.sigmoid 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1373.1, ["median"] = 1583.2 },
        ["torch"] = { ["least"] = 3439.5, ["median"] = 3804.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1475, ["median"] = 1678 },
        ["torch"] = { ["least"] = 3544.1, ["median"] = 3823.3 },
      },
    },
    ["pointwise.sigmoid 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 114944.4, ["median"] = 146265.8 },
        ["torch"] = { ["least"] = 50962.1, ["median"] = 119565.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 70028.6, ["median"] = 111175.4 },
        ["torch"] = { ["least"] = 60889, ["median"] = 87711.5 },
      },
    },
    ["pointwise.sigmoid 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 388871.9, ["median"] = 425056.9 },
        ["torch"] = { ["least"] = 579147.9, ["median"] = 662049.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 201514.5, ["median"] = 290018.7 },
        ["torch"] = { ["least"] = 259281.9, ["median"] = 385382.3 },
      },
    },
    ["pointwise.sigmoid 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5516514, ["median"] = 5613478.5 },
        ["torch"] = { ["least"] = 30859588, ["median"] = 31324735 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2050504.3, ["median"] = 2707263.6 },
        ["torch"] = { ["least"] = 14084338, ["median"] = 18782151 },
      },
    },
    ["pointwise.tanh 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1355.3, ["median"] = 1851.7 },
        ["torch"] = { ["least"] = 3223.2, ["median"] = 3659.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1294, ["median"] = 1880.2 },
        ["torch"] = { ["least"] = 5313.9, ["median"] = 5650.5 },
      },
    },
    ["pointwise.tanh 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 68366.9, ["median"] = 113494.8 },
        ["torch"] = { ["least"] = 38445.8, ["median"] = 106813.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 54522.3, ["median"] = 67213.7 },
        ["torch"] = { ["least"] = 20709.4, ["median"] = 58365.4 },
      },
    },
    ["pointwise.tanh 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 423244.1, ["median"] = 431755 },
        ["torch"] = { ["least"] = 519014.1, ["median"] = 536984.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 203198.8, ["median"] = 284811.7 },
        ["torch"] = { ["least"] = 206927.4, ["median"] = 275540.4 },
      },
    },
    ["pointwise.tanh 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3831978.2, ["median"] = 4334587.1 },
        ["torch"] = { ["least"] = 23959476, ["median"] = 24640179.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2612999.8, ["median"] = 2863417.2 },
        ["torch"] = { ["least"] = 15843351, ["median"] = 18579102 },
      },
    },
    ["pointwise.where 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1449.7, ["median"] = 1480.5 },
        ["torch"] = { ["least"] = 5596.2, ["median"] = 6235.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1412, ["median"] = 1459.8 },
        ["torch"] = { ["least"] = 6024.7, ["median"] = 6079.3 },
      },
    },
    ["pointwise.where 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 36168.3, ["median"] = 53250.5 },
        ["torch"] = { ["least"] = 151582.8, ["median"] = 221450.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 26420.6, ["median"] = 43543.3 },
        ["torch"] = { ["least"] = 92589.6, ["median"] = 124270.7 },
      },
    },
    ["pointwise.where 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 810946.8, ["median"] = 855593.7 },
        ["torch"] = { ["least"] = 1940984.1, ["median"] = 2044973.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 316936.2, ["median"] = 500101.6 },
        ["torch"] = { ["least"] = 885787.1, ["median"] = 1187473.4 },
      },
    },
    ["pointwise.where 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 9414630.5, ["median"] = 10011645.25 },
        ["torch"] = { ["least"] = 34906046, ["median"] = 35602063.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5109545.5, ["median"] = 6270327 },
        ["torch"] = { ["least"] = 19790543, ["median"] = 24488813 },
      },
    },
    ["random.bernoulli 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1144660.2, ["median"] = 1272367.5 },
        ["torch"] = { ["least"] = 13987327, ["median"] = 14154019 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 739811.8, ["median"] = 766076.8 },
        ["torch"] = { ["least"] = 13610639.5, ["median"] = 13713060.5 },
      },
    },
    ["random.rand 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 684615.2, ["median"] = 727170.45 },
        ["torch"] = { ["least"] = 3376422.6, ["median"] = 3609841 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 409840.4, ["median"] = 526086.45 },
        ["torch"] = { ["least"] = 3506430.2, ["median"] = 3733860.7 },
      },
    },
    ["random.randn 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1042590.1, ["median"] = 1077506.95 },
        ["torch"] = { ["least"] = 3388067, ["median"] = 3460636.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 575584.6, ["median"] = 621473.1 },
        ["torch"] = { ["least"] = 3498097.8, ["median"] = 3846760.6 },
      },
    },
    ["random.randperm 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 4784350.3, ["median"] = 4901325.7 },
        ["torch"] = { ["least"] = 9399331.5, ["median"] = 11390630 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4436457.7, ["median"] = 4649181.65 },
        ["torch"] = { ["least"] = 10057198, ["median"] = 11245879.5 },
      },
    },
    ["reduce.layer_norm 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 469421.2, ["median"] = 500070.3 },
        ["torch"] = { ["least"] = 481197.1, ["median"] = 626965.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 236226.5, ["median"] = 381551.6 },
        ["torch"] = { ["least"] = 226440.5, ["median"] = 328795.2 },
      },
    },
    ["reduce.layer_norm 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1878512.6, ["median"] = 2012623.8 },
        ["torch"] = { ["least"] = 2775812, ["median"] = 3188766.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1033795.3, ["median"] = 1452699 },
        ["torch"] = { ["least"] = 935931.9, ["median"] = 1534998.1 },
      },
    },
    ["reduce.log_softmax 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 855494.3, ["median"] = 927494.2 },
        ["torch"] = { ["least"] = 846042.8, ["median"] = 897582.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 440994.2, ["median"] = 650778.8 },
        ["torch"] = { ["least"] = 436120.6, ["median"] = 586906.6 },
      },
    },
    ["reduce.log_softmax 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2560649.7, ["median"] = 2678352.5 },
        ["torch"] = { ["least"] = 4052065.5, ["median"] = 4504637.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1273300, ["median"] = 2009034.6 },
        ["torch"] = { ["least"] = 2082611.4, ["median"] = 3003819.6 },
      },
    },
    ["reduce.logsumexp 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 573418.3, ["median"] = 638437.7 },
        ["torch"] = { ["least"] = 1191600.2, ["median"] = 1389805.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 263304.4, ["median"] = 355014.9 },
        ["torch"] = { ["least"] = 490597.9, ["median"] = 677964.3 },
      },
    },
    ["reduce.logsumexp 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1507527.1, ["median"] = 2492336.3 },
        ["torch"] = { ["least"] = 4933707.3, ["median"] = 6086684.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 730590.4, ["median"] = 1115706.2 },
        ["torch"] = { ["least"] = 1685126, ["median"] = 2423122.3 },
      },
    },
    ["reduce.max 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 396392.2, ["median"] = 418434.6 },
        ["torch"] = { ["least"] = 1597128.7, ["median"] = 1745763.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 177220.8, ["median"] = 241326.2 },
        ["torch"] = { ["least"] = 888984.2, ["median"] = 1076217.9 },
      },
    },
    ["reduce.max 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 672015.8, ["median"] = 705481.4 },
        ["torch"] = { ["least"] = 2563950.5, ["median"] = 2753393.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 322683.6, ["median"] = 444989.4 },
        ["torch"] = { ["least"] = 1330479.4, ["median"] = 1779397.7 },
      },
    },
    ["reduce.mean 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 148966.9, ["median"] = 162629.7 },
        ["torch"] = { ["least"] = 147035.7, ["median"] = 179933.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 55997.3, ["median"] = 61138.5 },
        ["torch"] = { ["least"] = 83357.8, ["median"] = 97296.3 },
      },
    },
    ["reduce.mean 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 527366, ["median"] = 554052.9 },
        ["torch"] = { ["least"] = 615869.6, ["median"] = 649160.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 271276.1, ["median"] = 392257.9 },
        ["torch"] = { ["least"] = 319566.7, ["median"] = 432047.6 },
      },
    },
    ["reduce.softmax 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 939278.4, ["median"] = 979481.8 },
        ["torch"] = { ["least"] = 776687.9, ["median"] = 843731.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 578738, ["median"] = 821809.6 },
        ["torch"] = { ["least"] = 486611.5, ["median"] = 687568.3 },
      },
    },
    ["reduce.softmax 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3843562.7, ["median"] = 4732595.4 },
        ["torch"] = { ["least"] = 3409193.7, ["median"] = 4468424.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1734046.4, ["median"] = 2569945.4 },
        ["torch"] = { ["least"] = 1454137.5, ["median"] = 2168888.6 },
      },
    },
    ["reduce.sum 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 162267.4, ["median"] = 169068.2 },
        ["torch"] = { ["least"] = 167670.1, ["median"] = 174953.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 71258.9, ["median"] = 115460.9 },
        ["torch"] = { ["least"] = 79293.3, ["median"] = 86283.7 },
      },
    },
    ["reduce.sum 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 602116.2, ["median"] = 646431.4 },
        ["torch"] = { ["least"] = 673290.7, ["median"] = 742773.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 261401.3, ["median"] = 397448.9 },
        ["torch"] = { ["least"] = 312828.2, ["median"] = 468433.3 },
      },
    },
    ["reduce.sum_of_columns 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 169241.3, ["median"] = 210075.3 },
        ["torch"] = { ["least"] = 165396.9, ["median"] = 244718 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 62507.7, ["median"] = 74628.6 },
        ["torch"] = { ["least"] = 53946.6, ["median"] = 86623.3 },
      },
    },
    ["reduce.sum_of_columns 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 561428.5, ["median"] = 577620.9 },
        ["torch"] = { ["least"] = 585688.2, ["median"] = 616408.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 295377.5, ["median"] = 404624.2 },
        ["torch"] = { ["least"] = 288903, ["median"] = 396990.1 },
      },
    },
    ["reduce.sum_of_rows 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 211622.4, ["median"] = 228374.3 },
        ["torch"] = { ["least"] = 204222.8, ["median"] = 219260.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 96237, ["median"] = 147134.3 },
        ["torch"] = { ["least"] = 81047.9, ["median"] = 93496 },
      },
    },
    ["reduce.sum_of_rows 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 527052, ["median"] = 569498.1 },
        ["torch"] = { ["least"] = 621703.3, ["median"] = 696057.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 270405.4, ["median"] = 421105.9 },
        ["torch"] = { ["least"] = 292260.4, ["median"] = 432725 },
      },
    },
    ["reduce.var 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 217387.7, ["median"] = 249066.8 },
        ["torch"] = { ["least"] = 998457.7, ["median"] = 1104197.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 83450.5, ["median"] = 104689.9 },
        ["torch"] = { ["least"] = 550489.8, ["median"] = 697255.4 },
      },
    },
    ["reduce.var 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 670571.1, ["median"] = 727054.15 },
        ["torch"] = { ["least"] = 3016361.2, ["median"] = 3367593 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 325896.5, ["median"] = 455164.9 },
        ["torch"] = { ["least"] = 1490926.5, ["median"] = 1884820.7 },
      },
    },
    ["small.add 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 302.2, ["median"] = 356.1 },
        ["torch"] = { ["least"] = 2451.4, ["median"] = 2544 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 336.7, ["median"] = 392.8 },
        ["torch"] = { ["least"] = 2390.4, ["median"] = 2665.9 },
      },
    },
    ["small.add_grad 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 660.8, ["median"] = 687.2 },
        ["torch"] = { ["least"] = 3632.3, ["median"] = 3767.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 643.8, ["median"] = 663.2 },
        ["torch"] = { ["least"] = 2971.6, ["median"] = 3560.3 },
      },
    },
    ["small.chain 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 42181.8, ["median"] = 70099.1 },
        ["torch"] = { ["least"] = 247135.5, ["median"] = 284461.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 38167.4, ["median"] = 41713.4 },
        ["torch"] = { ["least"] = 267992.9, ["median"] = 277506.3 },
      },
    },
    ["small.select 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 537.2, ["median"] = 723.3 },
        ["torch"] = { ["least"] = 1554, ["median"] = 1981.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 276.9, ["median"] = 344.5 },
        ["torch"] = { ["least"] = 999.1, ["median"] = 1036.9 },
      },
    },
    ["small.view 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 501.4, ["median"] = 802.9 },
        ["torch"] = { ["least"] = 969.6, ["median"] = 2025.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 552.8, ["median"] = 593.2 },
        ["torch"] = { ["least"] = 1961.6, ["median"] = 2001 },
      },
    },
    ["small.zero 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 159.8, ["median"] = 167.9 },
        ["torch"] = { ["least"] = 388.5, ["median"] = 396.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 162.7, ["median"] = 175.4 },
        ["torch"] = { ["least"] = 395.9, ["median"] = 468 },
      },
    },
    ["start"] = {
      [1] = {
        ["kiln"] = { ["least"] = 18792557, ["median"] = 19867498 },
        ["torch"] = { ["least"] = 2218901388, ["median"] = 2273669773 },
      },
    },
    ["training.cnn 64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 74545509, ["median"] = 75879095 },
        ["torch"] = { ["least"] = 96405093, ["median"] = 100698621 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 37023991, ["median"] = 41851630 },
        ["torch"] = { ["least"] = 45483736, ["median"] = 58686116 },
      },
    },
    ["training.gpt 6x384x6x8x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1323637944, ["median"] = 1327499163 },
        ["torch"] = { ["least"] = 1251220184, ["median"] = 1317338468 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 690906834, ["median"] = 713553170 },
        ["torch"] = { ["least"] = 719114862, ["median"] = 743071028 },
      },
    },
    ["training.gru 32x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 34346499, ["median"] = 37040999 },
        ["torch"] = { ["least"] = 56701555, ["median"] = 58868439 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 38997689, ["median"] = 39850360 },
        ["torch"] = { ["least"] = 76218671, ["median"] = 83399015 },
      },
    },
    ["training.lstm 32x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 44243659, ["median"] = 45152037 },
        ["torch"] = { ["least"] = 52640152, ["median"] = 61007293 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 32539534, ["median"] = 50816299.5 },
        ["torch"] = { ["least"] = 36911234, ["median"] = 48086211 },
      },
    },
    ["training.mlp 64"] = {
      [1] = {
        ["jax"] = { ["least"] = 1081371.6, ["median"] = 1155195.3 },
        ["kiln"] = { ["least"] = 1091390.6, ["median"] = 1167382.8 },
        ["torch"] = { ["least"] = 2486840.3, ["median"] = 2616142.7 },
      },
      [2] = {
        ["jax"] = { ["least"] = 866423.7, ["median"] = 1012667.4 },
        ["kiln"] = { ["least"] = 736890.7, ["median"] = 1065279 },
        ["torch"] = { ["least"] = 2114264.8, ["median"] = 2945909.7 },
      },
    },
    ["training.resnet18 8x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 121916532, ["median"] = 122881045 },
        ["torch"] = { ["least"] = 140640605, ["median"] = 141515180 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 74643598, ["median"] = 75915766 },
        ["torch"] = { ["least"] = 86496209, ["median"] = 97527443 },
      },
    },
  },
  ["cores"] = 2,
  ["cpu"] = "Intel(R) Xeon(R) Processor",
  ["date"] = "2026-11-30 14:33 UTC",
  ["features"] = { [1] = "avx2", [2] = "avx512f", [3] = "avx512_bf16", [4] = "amx_bf16" },
  ["growth"] = {
    [1] = {
      ["family"] = "pointwise",
      ["name"] = "add",
      ["points"] = {
        [1] = { ["kiln1"] = 390, ["kiln2"] = 303.4, ["n"] = 1, ["torch1"] = 2333.5 },
        [2] = { ["kiln1"] = 381, ["kiln2"] = 418.8, ["n"] = 10, ["torch1"] = 2612.8 },
        [3] = { ["kiln1"] = 276.1, ["kiln2"] = 158.8, ["n"] = 100, ["torch1"] = 1606.3 },
        [4] = { ["kiln1"] = 1078, ["kiln2"] = 836.2, ["n"] = 1000, ["torch1"] = 3149.8 },
        [5] = { ["kiln1"] = 3988.1, ["kiln2"] = 3696.6, ["n"] = 10000, ["torch1"] = 2984.3 },
        [6] = { ["kiln1"] = 40658.6, ["kiln2"] = 32678.1, ["n"] = 100000, ["torch1"] = 22320.7 },
        [7] = { ["kiln1"] = 455117.2, ["kiln2"] = 288227.8, ["n"] = 1000000, ["torch1"] = 569798.2 },
        [8] = { ["kiln1"] = 8952525, ["kiln2"] = 2612224.8, ["n"] = 10000000, ["torch1"] = 31507486 },
        [9] = { ["kiln1"] = 67976553, ["kiln2"] = 39081172, ["n"] = 100000000 },
      },
    },
    [2] = {
      ["family"] = "pointwise",
      ["name"] = "exp",
      ["points"] = {
        [1] = { ["kiln1"] = 235.7, ["kiln2"] = 215.3, ["n"] = 1, ["torch1"] = 1411 },
        [2] = { ["kiln1"] = 255.6, ["kiln2"] = 479.8, ["n"] = 10, ["torch1"] = 1500.7 },
        [3] = { ["kiln1"] = 483.5, ["kiln2"] = 555.7, ["n"] = 100, ["torch1"] = 3046.5 },
        [4] = { ["kiln1"] = 1058.1, ["kiln2"] = 1005, ["n"] = 1000, ["torch1"] = 3089.2 },
        [5] = { ["kiln1"] = 4499.8, ["kiln2"] = 4425.8, ["n"] = 10000, ["torch1"] = 3735.7 },
        [6] = { ["kiln1"] = 57306.3, ["kiln2"] = 52213.4, ["n"] = 100000, ["torch1"] = 22385.8 },
        [7] = { ["kiln1"] = 321526.2, ["kiln2"] = 237115, ["n"] = 1000000, ["torch1"] = 362866.9 },
        [8] = { ["kiln1"] = 4981179.7, ["kiln2"] = 1841036.4, ["n"] = 10000000, ["torch1"] = 25391330 },
        [9] = { ["kiln1"] = 48492879, ["kiln2"] = 26643047, ["n"] = 100000000 },
      },
    },
    [3] = {
      ["family"] = "reduce",
      ["name"] = "sum",
      ["points"] = {
        [1] = { ["kiln1"] = 537, ["kiln2"] = 412.1, ["n"] = 1, ["torch1"] = 2039.1 },
        [2] = { ["kiln1"] = 703.5, ["kiln2"] = 523.6, ["n"] = 10, ["torch1"] = 2212.1 },
        [3] = { ["kiln1"] = 672.3, ["kiln2"] = 407.7, ["n"] = 100, ["torch1"] = 2010.6 },
        [4] = { ["kiln1"] = 1003.2, ["kiln2"] = 892.2, ["n"] = 1000, ["torch1"] = 2717.5 },
        [5] = { ["kiln1"] = 1555.2, ["kiln2"] = 1669.3, ["n"] = 10000, ["torch1"] = 4424.4 },
        [6] = { ["kiln1"] = 8533, ["kiln2"] = 7249.1, ["n"] = 100000, ["torch1"] = 12007.1 },
        [7] = { ["kiln1"] = 183191.9, ["kiln2"] = 67130.2, ["n"] = 1000000, ["torch1"] = 189335.1 },
        [8] = { ["kiln1"] = 1642018.4, ["kiln2"] = 893006.1, ["n"] = 10000000, ["torch1"] = 1748025.6 },
        [9] = { ["kiln1"] = 31885539, ["kiln2"] = 18443644, ["n"] = 100000000 },
      },
    },
    [4] = {
      ["family"] = "reduce",
      ["name"] = "softmax",
      ["points"] = {
        [1] = { ["kiln1"] = 635.1, ["kiln2"] = 578.6, ["n"] = 1, ["torch1"] = 1315.5 },
        [2] = { ["kiln1"] = 476.4, ["kiln2"] = 503.2, ["n"] = 10, ["torch1"] = 1525.1 },
        [3] = { ["kiln1"] = 561.2, ["kiln2"] = 451.3, ["n"] = 100, ["torch1"] = 1692.3 },
        [4] = { ["kiln1"] = 1396.6, ["kiln2"] = 1829.2, ["n"] = 1000, ["torch1"] = 2328.3 },
        [5] = { ["kiln1"] = 17777.2, ["kiln2"] = 12735.1, ["n"] = 10000, ["torch1"] = 12808.6 },
        [6] = { ["kiln1"] = 102632.6, ["kiln2"] = 51785.1, ["n"] = 100000, ["torch1"] = 69793.3 },
        [7] = { ["kiln1"] = 991997.9, ["kiln2"] = 476870.1, ["n"] = 1000000, ["torch1"] = 791220.8 },
        [8] = { ["kiln1"] = 10274465.5, ["kiln2"] = 4803774.2, ["n"] = 10000000, ["torch1"] = 30181884 },
        [9] = { ["kiln1"] = 109299635, ["kiln2"] = 65421739, ["n"] = 100000000 },
      },
    },
    [5] = {
      ["family"] = "movement",
      ["name"] = "transposed",
      ["points"] = {
        [1] = { ["kiln1"] = 4.6, ["kiln2"] = 3.8, ["n"] = 1, ["torch1"] = 205.3 },
        [2] = { ["kiln1"] = 417.2, ["kiln2"] = 389.2, ["n"] = 100, ["torch1"] = 2100.5 },
        [3] = { ["kiln1"] = 8015.4, ["kiln2"] = 5848.2, ["n"] = 10000, ["torch1"] = 10752.4 },
        [4] = { ["kiln1"] = 886570.9, ["kiln2"] = 453280.1, ["n"] = 1000000, ["torch1"] = 2590671 },
        [5] = { ["kiln1"] = 111357988, ["kiln2"] = 52680228, ["n"] = 100000000 },
      },
    },
    [6] = {
      ["family"] = "movement",
      ["name"] = "cumsum",
      ["points"] = {
        [1] = { ["kiln1"] = 572.1, ["kiln2"] = 315.7, ["n"] = 1, ["torch1"] = 1747.5 },
        [2] = { ["kiln1"] = 662.9, ["kiln2"] = 298.2, ["n"] = 10, ["torch1"] = 1633.7 },
        [3] = { ["kiln1"] = 819.2, ["kiln2"] = 585.9, ["n"] = 100, ["torch1"] = 1753.6 },
        [4] = { ["kiln1"] = 3130.4, ["kiln2"] = 3180.2, ["n"] = 1000, ["torch1"] = 2195.9 },
        [5] = { ["kiln1"] = 9779.9, ["kiln2"] = 6856.4, ["n"] = 10000, ["torch1"] = 9241.8 },
        [6] = { ["kiln1"] = 77569.8, ["kiln2"] = 70340.7, ["n"] = 100000, ["torch1"] = 74295.9 },
        [7] = { ["kiln1"] = 763521.3, ["kiln2"] = 638275.9, ["n"] = 1000000, ["torch1"] = 894924.7 },
        [8] = { ["kiln1"] = 9521899, ["kiln2"] = 6521440.3, ["n"] = 10000000, ["torch1"] = 28132896 },
        [9] = { ["kiln1"] = 96595505, ["kiln2"] = 86665964, ["n"] = 100000000 },
      },
    },
    [7] = {
      ["family"] = "movement",
      ["name"] = "sort",
      ["points"] = {
        [1] = { ["kiln1"] = 734.5, ["kiln2"] = 927.3, ["n"] = 1, ["torch1"] = 4583.7 },
        [2] = { ["kiln1"] = 1396.6, ["kiln2"] = 513, ["n"] = 10, ["torch1"] = 4888 },
        [3] = { ["kiln1"] = 3309, ["kiln2"] = 3228.4, ["n"] = 100, ["torch1"] = 5654.3 },
        [4] = { ["kiln1"] = 21405.5, ["kiln2"] = 18925.6, ["n"] = 1000, ["torch1"] = 34237.8 },
        [5] = { ["kiln1"] = 184657.8, ["kiln2"] = 196018.5, ["n"] = 10000, ["torch1"] = 905037.4 },
        [6] = { ["kiln1"] = 1556982.6, ["kiln2"] = 1230321.4, ["n"] = 100000, ["torch1"] = 9477147 },
        [7] = { ["kiln1"] = 41424151, ["kiln2"] = 9353173.5, ["n"] = 1000000, ["torch1"] = 118364686 },
        [8] = { ["kiln1"] = 469713866, ["kiln2"] = 261699432, ["n"] = 10000000, ["torch1"] = 1429207646 },
      },
    },
    [8] = {
      ["family"] = "random",
      ["name"] = "rand",
      ["points"] = {
        [1] = { ["kiln1"] = 1159.4, ["kiln2"] = 825.1, ["n"] = 1, ["torch1"] = 2430.6 },
        [2] = { ["kiln1"] = 1168.5, ["kiln2"] = 1359.9, ["n"] = 10, ["torch1"] = 1702.1 },
        [3] = { ["kiln1"] = 1063.8, ["kiln2"] = 1825.4, ["n"] = 100, ["torch1"] = 1963 },
        [4] = { ["kiln1"] = 1982.1, ["kiln2"] = 3087.6, ["n"] = 1000, ["torch1"] = 5112.9 },
        [5] = { ["kiln1"] = 16022.6, ["kiln2"] = 13994.3, ["n"] = 10000, ["torch1"] = 69682.2 },
        [6] = { ["kiln1"] = 76729.1, ["kiln2"] = 44838, ["n"] = 100000, ["torch1"] = 386799 },
        [7] = { ["kiln1"] = 852673.7, ["kiln2"] = 416292.7, ["n"] = 1000000, ["torch1"] = 4372072.7 },
        [8] = { ["kiln1"] = 7997772, ["kiln2"] = 4150114.3, ["n"] = 10000000, ["torch1"] = 61536041 },
        [9] = { ["kiln1"] = 492963784, ["kiln2"] = 54360653, ["n"] = 100000000 },
      },
    },
    [9] = {
      ["family"] = "matmul",
      ["name"] = "product",
      ["points"] = {
        [1] = { ["kiln1"] = 568.6, ["kiln2"] = 625.7, ["n"] = 1, ["torch1"] = 1686 },
        [2] = { ["kiln1"] = 640.1, ["kiln2"] = 475.5, ["n"] = 100, ["torch1"] = 1769.3 },
        [3] = { ["kiln1"] = 30075.6, ["kiln2"] = 18812, ["n"] = 10000, ["torch1"] = 30203.6 },
        [4] = { ["kiln1"] = 14364201, ["kiln2"] = 7963812, ["n"] = 1000000, ["torch1"] = 14385447 },
      },
    },
    [10] = {
      ["family"] = "conv",
      ["name"] = "forward",
      ["points"] = {
        [1] = { ["kiln1"] = 7372, ["kiln2"] = 7516.1, ["n"] = 1, ["torch1"] = 5050 },
        [2] = { ["kiln1"] = 8158, ["kiln2"] = 8030.9, ["n"] = 100, ["torch1"] = 5798 },
        [3] = { ["kiln1"] = 44034.1, ["kiln2"] = 46471, ["n"] = 10000, ["torch1"] = 30718.4 },
        [4] = { ["kiln1"] = 12588181, ["kiln2"] = 11592971.5, ["n"] = 1000000, ["torch1"] = 42743983 },
        [5] = { ["kiln1"] = 5559480098, ["kiln2"] = 5200851842, ["n"] = 100000000 },
      },
    },
    [11] = {
      ["family"] = "optim",
      ["name"] = "adam",
      ["points"] = {
        [1] = { ["kiln1"] = 2785.5, ["kiln2"] = 3944.5, ["n"] = 1, ["torch1"] = 80221.2 },
        [2] = { ["kiln1"] = 5245.5, ["kiln2"] = 2770.3, ["n"] = 10, ["torch1"] = 106852.8 },
        [3] = { ["kiln1"] = 2730.5, ["kiln2"] = 2748.4, ["n"] = 100, ["torch1"] = 66741.7 },
        [4] = { ["kiln1"] = 6435.9, ["kiln2"] = 4126.4, ["n"] = 1000, ["torch1"] = 134422 },
        [5] = { ["kiln1"] = 9590.9, ["kiln2"] = 8793.4, ["n"] = 10000, ["torch1"] = 86561.7 },
        [6] = { ["kiln1"] = 62721, ["kiln2"] = 33953.6, ["n"] = 100000, ["torch1"] = 324270.4 },
        [7] = { ["kiln1"] = 768784.4, ["kiln2"] = 404401.3, ["n"] = 1000000, ["torch1"] = 3370603.8 },
        [8] = { ["kiln1"] = 16274028, ["kiln2"] = 8890377, ["n"] = 10000000, ["torch1"] = 95282797 },
        [9] = { ["kiln1"] = 139072367, ["kiln2"] = 94438048, ["n"] = 100000000 },
      },
    },
    [12] = {
      ["family"] = "fused",
      ["name"] = "expression",
      ["points"] = {
        [1] = { ["kiln1"] = 22876.4, ["kiln2"] = 26575.3, ["n"] = 1, ["torch1"] = 83103.7 },
        [2] = { ["kiln1"] = 40046.3, ["kiln2"] = 34323.6, ["n"] = 10, ["torch1"] = 140280.2 },
        [3] = { ["kiln1"] = 35470.8, ["kiln2"] = 34650.8, ["n"] = 100, ["torch1"] = 143493.6 },
        [4] = { ["kiln1"] = 26751.4, ["kiln2"] = 36649, ["n"] = 1000, ["torch1"] = 76930.3 },
        [5] = { ["kiln1"] = 40963.9, ["kiln2"] = 39396.2, ["n"] = 10000, ["torch1"] = 86603.1 },
        [6] = { ["kiln1"] = 450494.5, ["kiln2"] = 269515.7, ["n"] = 100000, ["torch1"] = 793516.7 },
        [7] = { ["kiln1"] = 2874279.7, ["kiln2"] = 1915478.8, ["n"] = 1000000, ["torch1"] = 7501303.3 },
        [8] = { ["kiln1"] = 32147613, ["kiln2"] = 21092758, ["n"] = 10000000, ["torch1"] = 272920507 },
        [9] = { ["kiln1"] = 334521051, ["kiln2"] = 308229023, ["n"] = 100000000 },
      },
    },
  },
  ["peaks"] = {
    ["training.cnn 64"] = { ["kiln"] = 129540, ["torch"] = 808928 },
    ["training.gpt 6x384x6x8x256"] = { ["kiln"] = 803064, ["torch"] = 1318288 },
    ["training.gru 32x64"] = { ["kiln"] = 97636, ["torch"] = 763536 },
    ["training.lstm 32x64"] = { ["kiln"] = 92660, ["torch"] = 779372 },
    ["training.mlp 64"] = { ["kiln"] = 40840, ["torch"] = 714796 },
    ["training.resnet18 8x64"] = { ["kiln"] = 262116, ["torch"] = 912592 },
  },
  ["seconds"] = 626.5562326,
  ["threads"] = { [1] = 1, [2] = 2 },
  ["versions"] = { ["blas"] = "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY USE_OPENMP SkylakeX MAX_THREADS=64", ["jax"] = "0.10.2", ["kiln"] = "0.1.0", ["luajit"] = "LuaJIT 2.1.0-beta3", ["onednn"] = "2.6.3", ["torch"] = "2.15.0+cu132" },
}
