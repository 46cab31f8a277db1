-- Measured by spec/bench/run.sh.
return {
  ["cases"] = {
    ["conv.batch_norm 32x64x56"] = {
      [1] = {
        ["kiln"] = { ["least"] = 14309922, ["median"] = 15798370 },
        ["torch"] = { ["least"] = 27584764, ["median"] = 32542334 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7715281, ["median"] = 10844209 },
        ["torch"] = { ["least"] = 16698587, ["median"] = 24568228 },
      },
    },
    ["conv.both 32x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 152154653, ["median"] = 154968146 },
        ["torch"] = { ["least"] = 155914804, ["median"] = 162235708 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 75491542, ["median"] = 77448254 },
        ["torch"] = { ["least"] = 75309605, ["median"] = 80114815 },
      },
    },
    ["conv.both 32x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 30827814, ["median"] = 34162924 },
        ["torch"] = { ["least"] = 37429712, ["median"] = 40856675 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 10116543, ["median"] = 14173691.5 },
        ["torch"] = { ["least"] = 14632553, ["median"] = 23065191 },
      },
    },
    ["conv.both 32x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 86197887, ["median"] = 88575206 },
        ["torch"] = { ["least"] = 95102440, ["median"] = 96276806 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 49213434, ["median"] = 51979460 },
        ["torch"] = { ["least"] = 56988476, ["median"] = 58847321 },
      },
    },
    ["conv.both 32x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 182445963, ["median"] = 185518776 },
        ["torch"] = { ["least"] = 184221914, ["median"] = 189488688 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 87218836, ["median"] = 91830138 },
        ["torch"] = { ["least"] = 95089370, ["median"] = 102993742 },
      },
    },
    ["conv.both 32x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 16961862, ["median"] = 17934455 },
        ["torch"] = { ["least"] = 24368505, ["median"] = 26385004 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8710400.5, ["median"] = 11798430.25 },
        ["torch"] = { ["least"] = 11937923.5, ["median"] = 14645506.75 },
      },
    },
    ["conv.both 32x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 123026539, ["median"] = 123478338 },
        ["torch"] = { ["least"] = 130727112, ["median"] = 138706665 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 68849156, ["median"] = 69427637 },
        ["torch"] = { ["least"] = 72269540, ["median"] = 79184126 },
      },
    },
    ["conv.both 32x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 409443226, ["median"] = 415216138 },
        ["torch"] = { ["least"] = 634510226, ["median"] = 663026764 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 266910375, ["median"] = 273109185 },
        ["torch"] = { ["least"] = 420185914, ["median"] = 425024025 },
      },
    },
    ["conv.both 32x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 141180154, ["median"] = 142833258 },
        ["torch"] = { ["least"] = 141517898, ["median"] = 144519522 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 109285480, ["median"] = 109362975 },
        ["torch"] = { ["least"] = 84753220, ["median"] = 92923735 },
      },
    },
    ["conv.both 32x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 37709677, ["median"] = 37832918 },
        ["torch"] = { ["least"] = 57609763, ["median"] = 58028117 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 16897178, ["median"] = 21766164 },
        ["torch"] = { ["least"] = 26494622, ["median"] = 30776243 },
      },
    },
    ["conv.both 32x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 109395580, ["median"] = 114524056 },
        ["torch"] = { ["least"] = 124009103, ["median"] = 127777906 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 78870881, ["median"] = 83891703 },
        ["torch"] = { ["least"] = 90706037, ["median"] = 96356863 },
      },
    },
    ["conv.both 32x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 179087276, ["median"] = 197403382 },
        ["torch"] = { ["least"] = 207618275, ["median"] = 210965076 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 118957646, ["median"] = 125994499 },
        ["torch"] = { ["least"] = 161907742, ["median"] = 165742971 },
      },
    },
    ["conv.both 8x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 40269444, ["median"] = 40951046 },
        ["torch"] = { ["least"] = 39965294, ["median"] = 49368324 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 24389207, ["median"] = 30304449 },
        ["torch"] = { ["least"] = 30041970, ["median"] = 35514576 },
      },
    },
    ["conv.both 8x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3814540.8, ["median"] = 4385656.65 },
        ["torch"] = { ["least"] = 5962184, ["median"] = 6492604.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2735386.2, ["median"] = 3611631 },
        ["torch"] = { ["least"] = 4197302.3, ["median"] = 5242831.65 },
      },
    },
    ["conv.both 8x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 22508076, ["median"] = 22864276.5 },
        ["torch"] = { ["least"] = 22850524, ["median"] = 23543975 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 14671165, ["median"] = 16610449 },
        ["torch"] = { ["least"] = 17471823, ["median"] = 20162031.5 },
      },
    },
    ["conv.both 8x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 40061295, ["median"] = 43231725 },
        ["torch"] = { ["least"] = 43703826, ["median"] = 43923067 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 18034450, ["median"] = 21744352 },
        ["torch"] = { ["least"] = 19008298, ["median"] = 23746235 },
      },
    },
    ["conv.both 8x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2983715.3, ["median"] = 3278959.9 },
        ["torch"] = { ["least"] = 4327359.5, ["median"] = 4861942.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1632630.5, ["median"] = 2086244.9 },
        ["torch"] = { ["least"] = 2535306.6, ["median"] = 2884302.65 },
      },
    },
    ["conv.both 8x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 32908511, ["median"] = 33046986 },
        ["torch"] = { ["least"] = 34466580, ["median"] = 35847774.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 12498254, ["median"] = 16764538 },
        ["torch"] = { ["least"] = 13994949.5, ["median"] = 16201215.5 },
      },
    },
    ["conv.both 8x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 96121330, ["median"] = 122985418 },
        ["torch"] = { ["least"] = 117700240, ["median"] = 142339341 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 56932587, ["median"] = 64802330 },
        ["torch"] = { ["least"] = 67380997, ["median"] = 68326792 },
      },
    },
    ["conv.both 8x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 40315483, ["median"] = 43126039 },
        ["torch"] = { ["least"] = 42854091, ["median"] = 43149546 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 25663168, ["median"] = 28293892.5 },
        ["torch"] = { ["least"] = 27241406, ["median"] = 29487578 },
      },
    },
    ["conv.both 8x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6168702, ["median"] = 7125146.25 },
        ["torch"] = { ["least"] = 9774168, ["median"] = 10569071.25 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3171190.7, ["median"] = 4882142.3 },
        ["torch"] = { ["least"] = 5247527, ["median"] = 9053233 },
      },
    },
    ["conv.both 8x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 22181147, ["median"] = 23711057 },
        ["torch"] = { ["least"] = 25872045, ["median"] = 28895908 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 11954327, ["median"] = 15782988 },
        ["torch"] = { ["least"] = 14401410, ["median"] = 17326455.5 },
      },
    },
    ["conv.both 8x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 62898835, ["median"] = 63836838 },
        ["torch"] = { ["least"] = 62544663, ["median"] = 63148282 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 33342253, ["median"] = 35048280.5 },
        ["torch"] = { ["least"] = 31548014, ["median"] = 34772140.5 },
      },
    },
    ["conv.forward 32x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 51853299, ["median"] = 52921532 },
        ["torch"] = { ["least"] = 52829360, ["median"] = 55817592 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 44614102, ["median"] = 47727537 },
        ["torch"] = { ["least"] = 40831312, ["median"] = 50922293 },
      },
    },
    ["conv.forward 32x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6127753.7, ["median"] = 6490424 },
        ["torch"] = { ["least"] = 7039742.3, ["median"] = 7393251.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3895879, ["median"] = 4629973.45 },
        ["torch"] = { ["least"] = 4120921, ["median"] = 5083820.5 },
      },
    },
    ["conv.forward 32x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 24970150, ["median"] = 25962334 },
        ["torch"] = { ["least"] = 25870360, ["median"] = 27441843 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 13239710, ["median"] = 16581064.5 },
        ["torch"] = { ["least"] = 15602053, ["median"] = 18673113.5 },
      },
    },
    ["conv.forward 32x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 48797197, ["median"] = 49831822 },
        ["torch"] = { ["least"] = 47467822, ["median"] = 47741358 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 36682389, ["median"] = 37184681.5 },
        ["torch"] = { ["least"] = 32696599, ["median"] = 37735550 },
      },
    },
    ["conv.forward 32x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3937284, ["median"] = 4263647.5 },
        ["torch"] = { ["least"] = 4159507.3, ["median"] = 4638775.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2513822, ["median"] = 3703516.3 },
        ["torch"] = { ["least"] = 2813088.3, ["median"] = 3636104.85 },
      },
    },
    ["conv.forward 32x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 36303098, ["median"] = 37078958.5 },
        ["torch"] = { ["least"] = 40007672, ["median"] = 40250720 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 18771400, ["median"] = 23480190 },
        ["torch"] = { ["least"] = 19816586, ["median"] = 22321481 },
      },
    },
    ["conv.forward 32x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 67463821, ["median"] = 69485216 },
        ["torch"] = { ["least"] = 167928617, ["median"] = 175031209 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 36433655, ["median"] = 37119407 },
        ["torch"] = { ["least"] = 103053913, ["median"] = 107351050 },
      },
    },
    ["conv.forward 32x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 41376951, ["median"] = 41809718 },
        ["torch"] = { ["least"] = 41667098, ["median"] = 42074491 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 22406001, ["median"] = 27118769 },
        ["torch"] = { ["least"] = 21493083, ["median"] = 25457919 },
      },
    },
    ["conv.forward 32x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 9525410.5, ["median"] = 10420809 },
        ["torch"] = { ["least"] = 11391789.5, ["median"] = 12555480.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5198445.7, ["median"] = 6583957 },
        ["torch"] = { ["least"] = 7000811.3, ["median"] = 7850773.7 },
      },
    },
    ["conv.forward 32x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 27400924, ["median"] = 28135527 },
        ["torch"] = { ["least"] = 29212296, ["median"] = 30722621 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 16243227, ["median"] = 20120049 },
        ["torch"] = { ["least"] = 17245334, ["median"] = 24476397 },
      },
    },
    ["conv.forward 32x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 96375573, ["median"] = 105098746 },
        ["torch"] = { ["least"] = 86362090, ["median"] = 87262728 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 48114464, ["median"] = 48862212 },
        ["torch"] = { ["least"] = 46235146, ["median"] = 49729339 },
      },
    },
    ["conv.forward 8x128x128x28x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 11710563, ["median"] = 12301013.5 },
        ["torch"] = { ["least"] = 12145411, ["median"] = 12799255.25 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8689303.7, ["median"] = 10176068 },
        ["torch"] = { ["least"] = 12268777, ["median"] = 13184415.5 },
      },
    },
    ["conv.forward 8x128x256x28x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1263552.2, ["median"] = 1364231.7 },
        ["torch"] = { ["least"] = 1372232.8, ["median"] = 1527212.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 818841.4, ["median"] = 1022751.3 },
        ["torch"] = { ["least"] = 893020.4, ["median"] = 1279913.7 },
      },
    },
    ["conv.forward 8x128x256x28x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 9839986, ["median"] = 10121588 },
        ["torch"] = { ["least"] = 7823698.5, ["median"] = 8799059 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3576376, ["median"] = 4209675 },
        ["torch"] = { ["least"] = 3699749.8, ["median"] = 4303265.8 },
      },
    },
    ["conv.forward 8x256x256x14x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 11292600.5, ["median"] = 11708835.75 },
        ["torch"] = { ["least"] = 11028410, ["median"] = 11200495.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5761339.5, ["median"] = 8805380 },
        ["torch"] = { ["least"] = 5761265.5, ["median"] = 8816832.75 },
      },
    },
    ["conv.forward 8x256x512x14x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1019870.9, ["median"] = 1111198.8 },
        ["torch"] = { ["least"] = 1034935.8, ["median"] = 1108074.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 520866.9, ["median"] = 732642.8 },
        ["torch"] = { ["least"] = 654876.3, ["median"] = 901290.6 },
      },
    },
    ["conv.forward 8x256x512x14x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6999249, ["median"] = 8725344.5 },
        ["torch"] = { ["least"] = 6864317.5, ["median"] = 8140050.75 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4446770.8, ["median"] = 5250813.6 },
        ["torch"] = { ["least"] = 4266308.2, ["median"] = 4977640.4 },
      },
    },
    ["conv.forward 8x3x64x224x7x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 16140235, ["median"] = 16547876 },
        ["torch"] = { ["least"] = 37943253, ["median"] = 42105864 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8783367, ["median"] = 9226941 },
        ["torch"] = { ["least"] = 22391453, ["median"] = 22845604 },
      },
    },
    ["conv.forward 8x512x512x7x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 12037556.5, ["median"] = 15161701.5 },
        ["torch"] = { ["least"] = 15970611, ["median"] = 16494035 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6680956.5, ["median"] = 9392659.25 },
        ["torch"] = { ["least"] = 6059172, ["median"] = 8455748.5 },
      },
    },
    ["conv.forward 8x64x128x56x1x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1972151.2, ["median"] = 2319711.9 },
        ["torch"] = { ["least"] = 1897486.1, ["median"] = 2435653 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 969963.3, ["median"] = 1258748.7 },
        ["torch"] = { ["least"] = 1011717.7, ["median"] = 1369895.8 },
      },
    },
    ["conv.forward 8x64x128x56x3x2"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6762559.3, ["median"] = 7159322.3 },
        ["torch"] = { ["least"] = 7510619, ["median"] = 8151461 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 3346828, ["median"] = 4301182.35 },
        ["torch"] = { ["least"] = 3575233.8, ["median"] = 4294394.1 },
      },
    },
    ["conv.forward 8x64x64x56x3x1"] = {
      [1] = {
        ["kiln"] = { ["least"] = 19937879, ["median"] = 21181010 },
        ["torch"] = { ["least"] = 17379613, ["median"] = 17756289 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 6495972, ["median"] = 8140648 },
        ["torch"] = { ["least"] = 6499031.5, ["median"] = 7765685.5 },
      },
    },
    ["conv.max_pool 32x64x56"] = {
      [1] = {
        ["kiln"] = { ["least"] = 25748179, ["median"] = 32382976 },
        ["torch"] = { ["least"] = 89216909, ["median"] = 90063190 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 17397059, ["median"] = 23924754 },
        ["torch"] = { ["least"] = 45402471, ["median"] = 51450394 },
      },
    },
    ["fused.expression 10000000"] = {
      [1] = {
        ["jax"] = { ["least"] = 90685232, ["median"] = 92614214 },
        ["kiln"] = { ["least"] = 33439491, ["median"] = 34288181 },
        ["torch"] = { ["least"] = 250827788, ["median"] = 272946278 },
      },
      [2] = {
        ["jax"] = { ["least"] = 65031750, ["median"] = 67614761 },
        ["kiln"] = { ["least"] = 26819377, ["median"] = 29298947 },
        ["torch"] = { ["least"] = 173242422, ["median"] = 179115601 },
      },
    },
    ["matmul.batched 64x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 264075.5, ["median"] = 275056 },
        ["torch"] = { ["least"] = 269080.5, ["median"] = 274813.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 195678.8, ["median"] = 256591.7 },
        ["torch"] = { ["least"] = 187875.9, ["median"] = 260499.6 },
      },
    },
    ["matmul.left_transposed 1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 16021159, ["median"] = 16134691 },
        ["torch"] = { ["least"] = 14107274.5, ["median"] = 14471564 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7985562.5, ["median"] = 11544478.25 },
        ["torch"] = { ["least"] = 7426231, ["median"] = 9951820 },
      },
    },
    ["matmul.product 1024x1024x1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 13788573.5, ["median"] = 15218884 },
        ["torch"] = { ["least"] = 14209893, ["median"] = 14638843 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7002904.5, ["median"] = 9508134 },
        ["torch"] = { ["least"] = 7028907, ["median"] = 9519427 },
      },
    },
    ["matmul.product 128x128x128"] = {
      [1] = {
        ["kiln"] = { ["least"] = 32073.9, ["median"] = 35766.1 },
        ["torch"] = { ["least"] = 26590.3, ["median"] = 33457.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 18481.8, ["median"] = 24557.1 },
        ["torch"] = { ["least"] = 19326, ["median"] = 25436.2 },
      },
    },
    ["matmul.product 1x512x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 176323.4, ["median"] = 185385.5 },
        ["torch"] = { ["least"] = 193752.5, ["median"] = 211669 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 76631.4, ["median"] = 109680.7 },
        ["torch"] = { ["least"] = 78335.6, ["median"] = 123855.1 },
      },
    },
    ["matmul.product 2048x2048x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 109131376, ["median"] = 110139390 },
        ["torch"] = { ["least"] = 107651058, ["median"] = 108746967 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 52374206, ["median"] = 59289021 },
        ["torch"] = { ["least"] = 54528613, ["median"] = 60112059 },
      },
    },
    ["matmul.product 20x650x2600"] = {
      [1] = {
        ["kiln"] = { ["least"] = 688173.9, ["median"] = 729266.4 },
        ["torch"] = { ["least"] = 711892.9, ["median"] = 774274.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 346667.5, ["median"] = 467256.7 },
        ["torch"] = { ["least"] = 382823.4, ["median"] = 531602.6 },
      },
    },
    ["matmul.product 256x256x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 196295, ["median"] = 208540.7 },
        ["torch"] = { ["least"] = 205109.7, ["median"] = 210833 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 111104.3, ["median"] = 173310.1 },
        ["torch"] = { ["least"] = 114864.5, ["median"] = 174758.3 },
      },
    },
    ["matmul.product 512x512x512"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1651240.1, ["median"] = 1749178.1 },
        ["torch"] = { ["least"] = 1674028, ["median"] = 1750685.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 869337.4, ["median"] = 1255933.7 },
        ["torch"] = { ["least"] = 888193, ["median"] = 1240427.4 },
      },
    },
    ["matmul.product 64x64x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 4156.9, ["median"] = 4482.4 },
        ["torch"] = { ["least"] = 5296.4, ["median"] = 5411.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4304.1, ["median"] = 4685.8 },
        ["torch"] = { ["least"] = 6722.6, ["median"] = 7027.2 },
      },
    },
    ["matmul.product 64x784x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 155432.4, ["median"] = 161541.1 },
        ["torch"] = { ["least"] = 156011, ["median"] = 159230.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 107087.4, ["median"] = 128766.5 },
        ["torch"] = { ["least"] = 127131.8, ["median"] = 153488.5 },
      },
    },
    ["matmul.right_transposed 1024"] = {
      [1] = {
        ["kiln"] = { ["least"] = 14012246, ["median"] = 14659469 },
        ["torch"] = { ["least"] = 13765556, ["median"] = 14329961.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8651361.5, ["median"] = 12320642 },
        ["torch"] = { ["least"] = 8773705.5, ["median"] = 12024173 },
      },
    },
    ["movement.add_transposed 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 853420.1, ["median"] = 912652.1 },
        ["torch"] = { ["least"] = 896745.9, ["median"] = 1017805.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 429208.2, ["median"] = 610460.8 },
        ["torch"] = { ["least"] = 431803, ["median"] = 713766.6 },
      },
    },
    ["movement.cat 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 261918.3, ["median"] = 283428.5 },
        ["torch"] = { ["least"] = 334753.3, ["median"] = 353872.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 133845.8, ["median"] = 184256.3 },
        ["torch"] = { ["least"] = 173105.1, ["median"] = 251758.1 },
      },
    },
    ["movement.cumsum 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 943908.6, ["median"] = 975097.8 },
        ["torch"] = { ["least"] = 1137624.2, ["median"] = 1201379.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 616990.7, ["median"] = 657687.5 },
        ["torch"] = { ["least"] = 1022870.3, ["median"] = 1078409.2 },
      },
    },
    ["movement.embedding_backward 50257x384x2048"] = {
      [1] = {
        ["kiln"] = { ["least"] = 9373977.5, ["median"] = 9456659.5 },
        ["torch"] = { ["least"] = 35376447, ["median"] = 35526511 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 9900762, ["median"] = 11657719.25 },
        ["torch"] = { ["least"] = 27830144, ["median"] = 28736000.5 },
      },
    },
    ["movement.gather 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1292920.9, ["median"] = 1460847.8 },
        ["torch"] = { ["least"] = 1392399.2, ["median"] = 1770106.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 882288.9, ["median"] = 1253974.3 },
        ["torch"] = { ["least"] = 690546.1, ["median"] = 1131152.6 },
      },
    },
    ["movement.index_select 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 272933.6, ["median"] = 308524.8 },
        ["torch"] = { ["least"] = 337567.3, ["median"] = 384823 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 126476.7, ["median"] = 190506.5 },
        ["torch"] = { ["least"] = 157384.5, ["median"] = 230569.4 },
      },
    },
    ["movement.masked_select 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1092906.1, ["median"] = 1231681.15 },
        ["torch"] = { ["least"] = 4467369.3, ["median"] = 5380693.65 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 645328.9, ["median"] = 855194.4 },
        ["torch"] = { ["least"] = 5338208, ["median"] = 10628583 },
      },
    },
    ["movement.sort 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 35241538, ["median"] = 42767408 },
        ["torch"] = { ["least"] = 123189867, ["median"] = 125760446 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 13108430.5, ["median"] = 14040195 },
        ["torch"] = { ["least"] = 104612152, ["median"] = 115076061 },
      },
    },
    ["movement.topk 1000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 512001.7, ["median"] = 593822.8 },
        ["torch"] = { ["least"] = 3888455.6, ["median"] = 4594310.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 530851.7, ["median"] = 552464.45 },
        ["torch"] = { ["least"] = 3604397.8, ["median"] = 4060620.5 },
      },
    },
    ["movement.transposed 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 755202, ["median"] = 799951.6 },
        ["torch"] = { ["least"] = 2071279.1, ["median"] = 2527090.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 398454.9, ["median"] = 413235.8 },
        ["torch"] = { ["least"] = 1337137.1, ["median"] = 2275135.4 },
      },
    },
    ["optim.adam 10000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 13521339, ["median"] = 13734240 },
        ["torch"] = { ["least"] = 33764736, ["median"] = 37653292 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8812821.7, ["median"] = 11158992.7 },
        ["torch"] = { ["least"] = 29344525, ["median"] = 36677713 },
      },
    },
    ["optim.adam_fused 10000000x100"] = {
      [1] = {
        ["kiln"] = { ["least"] = 15031752, ["median"] = 15950447.5 },
        ["torch"] = { ["least"] = 15982466, ["median"] = 17804808 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 8232851.5, ["median"] = 11706890 },
        ["torch"] = { ["least"] = 9242762, ["median"] = 12238536.75 },
      },
    },
    ["pointwise.add 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 891.1, ["median"] = 931.2 },
        ["torch"] = { ["least"] = 2744.7, ["median"] = 2842.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1044.6, ["median"] = 1105.5 },
        ["torch"] = { ["least"] = 2951.6, ["median"] = 3023.8 },
      },
    },
    ["pointwise.add 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 34974.2, ["median"] = 44796.5 },
        ["torch"] = { ["least"] = 23183.1, ["median"] = 24891.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 28455.5, ["median"] = 43039.9 },
        ["torch"] = { ["least"] = 14358.9, ["median"] = 17926.4 },
      },
    },
    ["pointwise.add 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 414856.1, ["median"] = 424195.8 },
        ["torch"] = { ["least"] = 521611.1, ["median"] = 572095.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 235808.8, ["median"] = 322807.3 },
        ["torch"] = { ["least"] = 267117.4, ["median"] = 338558.3 },
      },
    },
    ["pointwise.add 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 7027627, ["median"] = 7534696.15 },
        ["torch"] = { ["least"] = 23654976, ["median"] = 25323784 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2249720.2, ["median"] = 2938084.55 },
        ["torch"] = { ["least"] = 12759199, ["median"] = 14114316.25 },
      },
    },
    ["pointwise.add_column 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1328.4, ["median"] = 1832.4 },
        ["torch"] = { ["least"] = 3472.3, ["median"] = 3511.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1536.5, ["median"] = 1638.3 },
        ["torch"] = { ["least"] = 3205.1, ["median"] = 3558.1 },
      },
    },
    ["pointwise.add_column 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 65050.8, ["median"] = 74889.9 },
        ["torch"] = { ["least"] = 21429.2, ["median"] = 22348.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 24999.9, ["median"] = 46427.1 },
        ["torch"] = { ["least"] = 10708.3, ["median"] = 16460.8 },
      },
    },
    ["pointwise.add_column 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 424460.5, ["median"] = 429348.6 },
        ["torch"] = { ["least"] = 348794.8, ["median"] = 377057.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 246010.7, ["median"] = 345371.9 },
        ["torch"] = { ["least"] = 210402.7, ["median"] = 291611.8 },
      },
    },
    ["pointwise.add_column 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 4126631.2, ["median"] = 4924857.1 },
        ["torch"] = { ["least"] = 21135588, ["median"] = 22031886.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2492314.9, ["median"] = 2970947.3 },
        ["torch"] = { ["least"] = 14763559, ["median"] = 15674632 },
      },
    },
    ["pointwise.add_in_place 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 286.2, ["median"] = 304.8 },
        ["torch"] = { ["least"] = 1986, ["median"] = 2122.8 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 260.3, ["median"] = 267.2 },
        ["torch"] = { ["least"] = 1188.6, ["median"] = 2102.5 },
      },
    },
    ["pointwise.add_in_place 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 11548, ["median"] = 11749.5 },
        ["torch"] = { ["least"] = 13918.9, ["median"] = 14089.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 7887, ["median"] = 10040.5 },
        ["torch"] = { ["least"] = 10056.2, ["median"] = 11654.3 },
      },
    },
    ["pointwise.add_in_place 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 349595.8, ["median"] = 367269.7 },
        ["torch"] = { ["least"] = 364165.8, ["median"] = 380603 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 177277.1, ["median"] = 258562 },
        ["torch"] = { ["least"] = 190159.1, ["median"] = 254527 },
      },
    },
    ["pointwise.add_in_place 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5045461.3, ["median"] = 5890518.15 },
        ["torch"] = { ["least"] = 7120100, ["median"] = 7720241 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1800238.6, ["median"] = 2800018 },
        ["torch"] = { ["least"] = 1837922.1, ["median"] = 3437569.3 },
      },
    },
    ["pointwise.add_row 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1250.7, ["median"] = 1500.9 },
        ["torch"] = { ["least"] = 3565.4, ["median"] = 3604.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1249.7, ["median"] = 1523 },
        ["torch"] = { ["least"] = 3490.1, ["median"] = 3732.3 },
      },
    },
    ["pointwise.add_row 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 69403, ["median"] = 75900.6 },
        ["torch"] = { ["least"] = 23348.7, ["median"] = 24156 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 29367.7, ["median"] = 55479 },
        ["torch"] = { ["least"] = 14647.6, ["median"] = 22076.6 },
      },
    },
    ["pointwise.add_row 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 360157, ["median"] = 410721.2 },
        ["torch"] = { ["least"] = 349474.3, ["median"] = 404407 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 206168.7, ["median"] = 311258.7 },
        ["torch"] = { ["least"] = 213481.5, ["median"] = 330700.6 },
      },
    },
    ["pointwise.add_row 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 4425823.3, ["median"] = 5203366.5 },
        ["torch"] = { ["least"] = 24518431, ["median"] = 25303393 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1961680.9, ["median"] = 2351021.6 },
        ["torch"] = { ["least"] = 15055333, ["median"] = 16250717.5 },
      },
    },
    ["pointwise.exp 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1091.7, ["median"] = 1190.6 },
        ["torch"] = { ["least"] = 2891.2, ["median"] = 3483.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 994.5, ["median"] = 1135.9 },
        ["torch"] = { ["least"] = 4651.8, ["median"] = 5480.8 },
      },
    },
    ["pointwise.exp 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 80376.8, ["median"] = 90042.5 },
        ["torch"] = { ["least"] = 28950.6, ["median"] = 29615.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 39805.8, ["median"] = 62485.1 },
        ["torch"] = { ["least"] = 17788.1, ["median"] = 24281.4 },
      },
    },
    ["pointwise.exp 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 471152.5, ["median"] = 486758.9 },
        ["torch"] = { ["least"] = 444127.2, ["median"] = 478456.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 239484.6, ["median"] = 302724.2 },
        ["torch"] = { ["least"] = 232112.6, ["median"] = 315255 },
      },
    },
    ["pointwise.exp 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3346695.4, ["median"] = 4715735.2 },
        ["torch"] = { ["least"] = 21636654, ["median"] = 22667123 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2070605.4, ["median"] = 2617111.3 },
        ["torch"] = { ["least"] = 12625037, ["median"] = 14469156.5 },
      },
    },
    ["pointwise.gelu 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1834.4, ["median"] = 1964.8 },
        ["torch"] = { ["least"] = 12160.9, ["median"] = 19759.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1306.1, ["median"] = 1969.4 },
        ["torch"] = { ["least"] = 22285.1, ["median"] = 22975.9 },
      },
    },
    ["pointwise.gelu 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 125228.1, ["median"] = 133349.6 },
        ["torch"] = { ["least"] = 63291.2, ["median"] = 68563.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 49395, ["median"] = 82904 },
        ["torch"] = { ["least"] = 33042.8, ["median"] = 51565.7 },
      },
    },
    ["pointwise.gelu 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 579482.1, ["median"] = 613466.3 },
        ["torch"] = { ["least"] = 441960.4, ["median"] = 491667.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 474836.6, ["median"] = 698163.6 },
        ["torch"] = { ["least"] = 345923, ["median"] = 517148.3 },
      },
    },
    ["pointwise.gelu 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 5745598, ["median"] = 8728164 },
        ["torch"] = { ["least"] = 23001939, ["median"] = 25410823 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 4147407.5, ["median"] = 4703435 },
        ["torch"] = { ["least"] = 16242545, ["median"] = 16505474.5 },
      },
    },
    ["pointwise.mul 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 865.7, ["median"] = 922.1 },
        ["torch"] = { ["least"] = 1570.1, ["median"] = 1662.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 850.2, ["median"] = 1026.9 },
        ["torch"] = { ["least"] = 1479.6, ["median"] = 1597.1 },
      },
    },
    ["pointwise.mul 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 40524.5, ["median"] = 51297.1 },
        ["torch"] = { ["least"] = 23634.5, ["median"] = 27994.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 28804.8, ["median"] = 50457.4 },
        ["torch"] = { ["least"] = 13101.4, ["median"] = 21287.6 },
      },
    },
    ["pointwise.mul 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 399415, ["median"] = 425923.8 },
        ["torch"] = { ["least"] = 525739.2, ["median"] = 561696.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 213201.7, ["median"] = 299228.9 },
        ["torch"] = { ["least"] = 267302.9, ["median"] = 382609.4 },
      },
    },
    ["pointwise.mul 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 6325561.5, ["median"] = 6709352.45 },
        ["torch"] = { ["least"] = 22007148, ["median"] = 22578181 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2219222.3, ["median"] = 2969921.1 },
        ["torch"] = { ["least"] = 12598178.5, ["median"] = 14482458.25 },
      },
    },
    ["pointwise.relu 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1077.7, ["median"] = 1190.1 },
        ["torch"] = { ["least"] = 2790.3, ["median"] = 2885.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 905.3, ["median"] = 964.4 },
        ["torch"] = { ["least"] = 1505.4, ["median"] = 1547.5 },
      },
    },
    ["pointwise.relu 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 38723.8, ["median"] = 49149.1 },
        ["torch"] = { ["least"] = 18471.4, ["median"] = 21927.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 24947.8, ["median"] = 43903.5 },
        ["torch"] = { ["least"] = 12385.5, ["median"] = 17952.4 },
      },
    },
    ["pointwise.relu 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 313009.2, ["median"] = 329964.7 },
        ["torch"] = { ["least"] = 384549.1, ["median"] = 427007.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 163359.4, ["median"] = 274726.2 },
        ["torch"] = { ["least"] = 193907.9, ["median"] = 298403.3 },
      },
    },
    ["pointwise.relu 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3925184.6, ["median"] = 4772791.6 },
        ["torch"] = { ["least"] = 26810415, ["median"] = 27691382 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1881537.5, ["median"] = 2438730.5 },
        ["torch"] = { ["least"] = 12631623, ["median"] = 15301206 },
      },
    },
    ["pointwise.sigmoid 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 988.6, ["median"] = 1053.8 },
        ["torch"] = { ["least"] = 1809.3, ["median"] = 1875.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1112.1, ["median"] = 1168.4 },
        ["torch"] = { ["least"] = 3356, ["median"] = 3485.3 },
      },
    },
    ["pointwise.sigmoid 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 58411.2, ["median"] = 70944.7 },
        ["torch"] = { ["least"] = 46794.4, ["median"] = 47784.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 36087, ["median"] = 53506.2 },
        ["torch"] = { ["least"] = 29008.7, ["median"] = 44282.5 },
      },
    },
    ["pointwise.sigmoid 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 553096.1, ["median"] = 573974.9 },
        ["torch"] = { ["least"] = 688241.2, ["median"] = 713980.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 321971.8, ["median"] = 394801.2 },
        ["torch"] = { ["least"] = 379952.2, ["median"] = 464674.7 },
      },
    },
    ["pointwise.sigmoid 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3977770.7, ["median"] = 5521589.7 },
        ["torch"] = { ["least"] = 22708670, ["median"] = 28397143 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2047558.2, ["median"] = 2726066.8 },
        ["torch"] = { ["least"] = 13063996, ["median"] = 15276491 },
      },
    },
    ["pointwise.tanh 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 868.1, ["median"] = 937.3 },
        ["torch"] = { ["least"] = 1829.7, ["median"] = 1893.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 925.1, ["median"] = 1107.7 },
        ["torch"] = { ["least"] = 3592.7, ["median"] = 4770.6 },
      },
    },
    ["pointwise.tanh 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 60439.7, ["median"] = 71625.5 },
        ["torch"] = { ["least"] = 36729.2, ["median"] = 37709.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 40031.4, ["median"] = 56283.9 },
        ["torch"] = { ["least"] = 23783.5, ["median"] = 34135.1 },
      },
    },
    ["pointwise.tanh 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 392689.1, ["median"] = 447034.9 },
        ["torch"] = { ["least"] = 420687.7, ["median"] = 504082.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 279218.1, ["median"] = 373051.3 },
        ["torch"] = { ["least"] = 271380.3, ["median"] = 358793.6 },
      },
    },
    ["pointwise.tanh 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 4118680.3, ["median"] = 5518345.85 },
        ["torch"] = { ["least"] = 23045397, ["median"] = 26721710 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2102547, ["median"] = 2959222.6 },
        ["torch"] = { ["least"] = 12357568, ["median"] = 16126625 },
      },
    },
    ["pointwise.where 1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 938.6, ["median"] = 1203.2 },
        ["torch"] = { ["least"] = 3922.6, ["median"] = 6245.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1409.2, ["median"] = 1500.8 },
        ["torch"] = { ["least"] = 6123.5, ["median"] = 6354.8 },
      },
    },
    ["pointwise.where 100000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 32367.9, ["median"] = 50692.9 },
        ["torch"] = { ["least"] = 168246.6, ["median"] = 174493 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 20860.8, ["median"] = 35862.3 },
        ["torch"] = { ["least"] = 94541.1, ["median"] = 129540 },
      },
    },
    ["pointwise.where 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 891997.3, ["median"] = 941931.55 },
        ["torch"] = { ["least"] = 2178141.7, ["median"] = 2581673.25 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 435100.1, ["median"] = 598702.7 },
        ["torch"] = { ["least"] = 929175.5, ["median"] = 1300805.9 },
      },
    },
    ["pointwise.where 10000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 10277689.5, ["median"] = 10440433.5 },
        ["torch"] = { ["least"] = 34867693, ["median"] = 36206299 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5744995.7, ["median"] = 7025811.3 },
        ["torch"] = { ["least"] = 25647426, ["median"] = 31524529 },
      },
    },
    ["random.bernoulli 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1248768.3, ["median"] = 1335200.4 },
        ["torch"] = { ["least"] = 14182672.5, ["median"] = 14417707 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 826772.4, ["median"] = 880780 },
        ["torch"] = { ["least"] = 14130942, ["median"] = 14300688 },
      },
    },
    ["random.rand 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 705944.8, ["median"] = 719502.9 },
        ["torch"] = { ["least"] = 3602215.5, ["median"] = 3758277.85 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 378998.1, ["median"] = 396958.2 },
        ["torch"] = { ["least"] = 3631232.4, ["median"] = 3708953.1 },
      },
    },
    ["random.randn 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1127030.3, ["median"] = 1146476.65 },
        ["torch"] = { ["least"] = 3562771.6, ["median"] = 3775393 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 586509, ["median"] = 795617.1 },
        ["torch"] = { ["least"] = 3634575, ["median"] = 3850400.7 },
      },
    },
    ["random.randperm 1000000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 4922889.3, ["median"] = 5304911.5 },
        ["torch"] = { ["least"] = 8942772, ["median"] = 11937341 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 5080475.7, ["median"] = 5143302.5 },
        ["torch"] = { ["least"] = 9281298, ["median"] = 11894494 },
      },
    },
    ["reduce.layer_norm 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 465422.2, ["median"] = 474167.3 },
        ["torch"] = { ["least"] = 482022.9, ["median"] = 528013.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 228753.7, ["median"] = 334588.4 },
        ["torch"] = { ["least"] = 233616, ["median"] = 351761.7 },
      },
    },
    ["reduce.layer_norm 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1875477.4, ["median"] = 1995891.2 },
        ["torch"] = { ["least"] = 2195678.9, ["median"] = 3122328.65 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 981045, ["median"] = 1441908.1 },
        ["torch"] = { ["least"] = 925679.3, ["median"] = 1784685.3 },
      },
    },
    ["reduce.log_softmax 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 929396.7, ["median"] = 960402.5 },
        ["torch"] = { ["least"] = 837516.1, ["median"] = 1011592.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 609942.8, ["median"] = 845758.8 },
        ["torch"] = { ["least"] = 533548.4, ["median"] = 859997 },
      },
    },
    ["reduce.log_softmax 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 2663111, ["median"] = 3080422.7 },
        ["torch"] = { ["least"] = 4628260.3, ["median"] = 5155548 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 2257104.5, ["median"] = 3108754.5 },
        ["torch"] = { ["least"] = 2297012.5, ["median"] = 3052467.2 },
      },
    },
    ["reduce.logsumexp 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 591509.7, ["median"] = 602099.5 },
        ["torch"] = { ["least"] = 980624.8, ["median"] = 1198147.3 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 427657.2, ["median"] = 615449.1 },
        ["torch"] = { ["least"] = 549046, ["median"] = 884265.4 },
      },
    },
    ["reduce.logsumexp 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1655247, ["median"] = 1741309.2 },
        ["torch"] = { ["least"] = 4633835, ["median"] = 5424062 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 837608.7, ["median"] = 1175394.4 },
        ["torch"] = { ["least"] = 1619007, ["median"] = 2349132.9 },
      },
    },
    ["reduce.max 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 336305.2, ["median"] = 367030.4 },
        ["torch"] = { ["least"] = 1016486.8, ["median"] = 1288078.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 198555.7, ["median"] = 280385.7 },
        ["torch"] = { ["least"] = 962250, ["median"] = 1393478.7 },
      },
    },
    ["reduce.max 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 707839.1, ["median"] = 760362.6 },
        ["torch"] = { ["least"] = 2552604.5, ["median"] = 2721962.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 372506.8, ["median"] = 487761.8 },
        ["torch"] = { ["least"] = 1358066.6, ["median"] = 1863521.4 },
      },
    },
    ["reduce.mean 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 160068.3, ["median"] = 165909.3 },
        ["torch"] = { ["least"] = 177878.5, ["median"] = 182617.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 70746.1, ["median"] = 106537.2 },
        ["torch"] = { ["least"] = 74083.6, ["median"] = 120110.3 },
      },
    },
    ["reduce.mean 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 539584, ["median"] = 599824.9 },
        ["torch"] = { ["least"] = 583116.3, ["median"] = 635277.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 293316.3, ["median"] = 429570.7 },
        ["torch"] = { ["least"] = 342112.4, ["median"] = 493684.7 },
      },
    },
    ["reduce.softmax 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1063422.2, ["median"] = 1211409.2 },
        ["torch"] = { ["least"] = 889031.6, ["median"] = 1045487.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 584977.8, ["median"] = 669198.6 },
        ["torch"] = { ["least"] = 451790.6, ["median"] = 639937.1 },
      },
    },
    ["reduce.softmax 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 3490863.7, ["median"] = 3985636.25 },
        ["torch"] = { ["least"] = 3794683.4, ["median"] = 4427139 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 1476495, ["median"] = 1651059.6 },
        ["torch"] = { ["least"] = 1427115.4, ["median"] = 1890347.8 },
      },
    },
    ["reduce.sum 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 175269.4, ["median"] = 181076.4 },
        ["torch"] = { ["least"] = 197760.3, ["median"] = 204913.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 84966, ["median"] = 138231.7 },
        ["torch"] = { ["least"] = 71883.6, ["median"] = 89647.3 },
      },
    },
    ["reduce.sum 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 499528, ["median"] = 532127.8 },
        ["torch"] = { ["least"] = 552613.3, ["median"] = 593943.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 270123.1, ["median"] = 299303.6 },
        ["torch"] = { ["least"] = 306388, ["median"] = 427803.3 },
      },
    },
    ["reduce.sum_of_columns 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 164232.6, ["median"] = 180188.7 },
        ["torch"] = { ["least"] = 167498.3, ["median"] = 224620.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 71040.5, ["median"] = 91189.1 },
        ["torch"] = { ["least"] = 71661.5, ["median"] = 110247.9 },
      },
    },
    ["reduce.sum_of_columns 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 543447.5, ["median"] = 573551.4 },
        ["torch"] = { ["least"] = 544625.5, ["median"] = 621646.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 290597.9, ["median"] = 345548.4 },
        ["torch"] = { ["least"] = 311348.2, ["median"] = 402324.2 },
      },
    },
    ["reduce.sum_of_rows 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 220059.8, ["median"] = 248160 },
        ["torch"] = { ["least"] = 199463.3, ["median"] = 230972.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 105013.5, ["median"] = 140086.3 },
        ["torch"] = { ["least"] = 74423.8, ["median"] = 106381.5 },
      },
    },
    ["reduce.sum_of_rows 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 494785.3, ["median"] = 527849.9 },
        ["torch"] = { ["least"] = 574168.2, ["median"] = 627732.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 248890.6, ["median"] = 341024.9 },
        ["torch"] = { ["least"] = 269399, ["median"] = 380540.3 },
      },
    },
    ["reduce.var 1000x1000"] = {
      [1] = {
        ["kiln"] = { ["least"] = 203674.3, ["median"] = 208795.5 },
        ["torch"] = { ["least"] = 948880.9, ["median"] = 987913.6 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 76836.4, ["median"] = 94752.2 },
        ["torch"] = { ["least"] = 466569.1, ["median"] = 798258.1 },
      },
    },
    ["reduce.var 64x50257"] = {
      [1] = {
        ["kiln"] = { ["least"] = 662098.6, ["median"] = 709667.8 },
        ["torch"] = { ["least"] = 2974967.4, ["median"] = 3177346.2 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 388945.2, ["median"] = 497511.3 },
        ["torch"] = { ["least"] = 1622917.3, ["median"] = 2645241.85 },
      },
    },
    ["small.add 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 336.5, ["median"] = 372.5 },
        ["torch"] = { ["least"] = 2741.5, ["median"] = 2885.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 238.8, ["median"] = 303.6 },
        ["torch"] = { ["least"] = 2761.6, ["median"] = 2916.8 },
      },
    },
    ["small.add_grad 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 642.1, ["median"] = 787 },
        ["torch"] = { ["least"] = 3642.1, ["median"] = 3777.7 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 550, ["median"] = 611.1 },
        ["torch"] = { ["least"] = 3852, ["median"] = 3881.2 },
      },
    },
    ["small.chain 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 32680.8, ["median"] = 48712.3 },
        ["torch"] = { ["least"] = 294799.9, ["median"] = 345227.9 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 35603.8, ["median"] = 50648.4 },
        ["torch"] = { ["least"] = 298531, ["median"] = 335533.9 },
      },
    },
    ["small.select 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 238.9, ["median"] = 486.4 },
        ["torch"] = { ["least"] = 2186.1, ["median"] = 2219.5 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 236.9, ["median"] = 528.3 },
        ["torch"] = { ["least"] = 2094.2, ["median"] = 2212.6 },
      },
    },
    ["small.view 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 264.8, ["median"] = 542.3 },
        ["torch"] = { ["least"] = 1802.6, ["median"] = 2055.4 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 256.6, ["median"] = 497.1 },
        ["torch"] = { ["least"] = 1946.8, ["median"] = 2000.4 },
      },
    },
    ["small.zero 4"] = {
      [1] = {
        ["kiln"] = { ["least"] = 160.9, ["median"] = 164.8 },
        ["torch"] = { ["least"] = 375.4, ["median"] = 380.1 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 306.4, ["median"] = 312.1 },
        ["torch"] = { ["least"] = 746.2, ["median"] = 779.2 },
      },
    },
    ["start"] = {
      [1] = {
        ["kiln"] = { ["least"] = 24259043.01, ["median"] = 25683132 },
        ["torch"] = { ["least"] = 2157293964, ["median"] = 2346082338 },
      },
    },
    ["training.cnn 64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 84828376, ["median"] = 89014370 },
        ["torch"] = { ["least"] = 118250163, ["median"] = 120886361 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 47006069, ["median"] = 55393335 },
        ["torch"] = { ["least"] = 67710692, ["median"] = 77082417 },
      },
    },
    ["training.gpt 6x384x6x8x256"] = {
      [1] = {
        ["kiln"] = { ["least"] = 1650210093, ["median"] = 1672156220 },
        ["torch"] = { ["least"] = 1601121193, ["median"] = 1723705764 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 817885186, ["median"] = 843581153 },
        ["torch"] = { ["least"] = 876059735, ["median"] = 888383833 },
      },
    },
    ["training.gru 32x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 32962639, ["median"] = 33922724 },
        ["torch"] = { ["least"] = 58126137, ["median"] = 58332793 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 29984568, ["median"] = 30258692 },
        ["torch"] = { ["least"] = 64619696, ["median"] = 68110237 },
      },
    },
    ["training.lstm 32x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 51868573, ["median"] = 63641688 },
        ["torch"] = { ["least"] = 51783781, ["median"] = 55147754 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 30053547, ["median"] = 34901365 },
        ["torch"] = { ["least"] = 30881271, ["median"] = 37387995.5 },
      },
    },
    ["training.mlp 64"] = {
      [1] = {
        ["jax"] = { ["least"] = 1538782.3, ["median"] = 1659822.7 },
        ["kiln"] = { ["least"] = 1398019, ["median"] = 1506341.3 },
        ["torch"] = { ["least"] = 3494820.4, ["median"] = 3637043.2 },
      },
      [2] = {
        ["jax"] = { ["least"] = 1034931.8, ["median"] = 1110021.25 },
        ["kiln"] = { ["least"] = 804289.1, ["median"] = 1046468.85 },
        ["torch"] = { ["least"] = 2586802.7, ["median"] = 3445112.9 },
      },
    },
    ["training.resnet18 8x64"] = {
      [1] = {
        ["kiln"] = { ["least"] = 123560603, ["median"] = 155776582 },
        ["torch"] = { ["least"] = 160187423, ["median"] = 181269712 },
      },
      [2] = {
        ["kiln"] = { ["least"] = 106261136, ["median"] = 107421980 },
        ["torch"] = { ["least"] = 117882953, ["median"] = 124956419 },
      },
    },
  },
  ["cores"] = 2,
  ["cpu"] = "Intel(R) Xeon(R) Processor",
  ["date"] = "2026-11-30 20:02 UTC",
  ["features"] = { [1] = "avx2", [2] = "avx512f", [3] = "avx512_bf16", [4] = "amx_bf16" },
  ["growth"] = {
    [1] = {
      ["family"] = "pointwise",
      ["name"] = "add",
      ["points"] = {
        [1] = { ["kiln1"] = 237, ["kiln2"] = 235.9, ["n"] = 1, ["torch1"] = 2844.1 },
        [2] = { ["kiln1"] = 254.9, ["kiln2"] = 260.1, ["n"] = 10, ["torch1"] = 1648.3 },
        [3] = { ["kiln1"] = 316.1, ["kiln2"] = 419, ["n"] = 100, ["torch1"] = 2793.6 },
        [4] = { ["kiln1"] = 918, ["kiln2"] = 875.8, ["n"] = 1000, ["torch1"] = 3589.3 },
        [5] = { ["kiln1"] = 6921.2, ["kiln2"] = 4220.3, ["n"] = 10000, ["torch1"] = 4815.1 },
        [6] = { ["kiln1"] = 46089.3, ["kiln2"] = 27372, ["n"] = 100000, ["torch1"] = 32606.7 },
        [7] = { ["kiln1"] = 485865.6, ["kiln2"] = 255610.7, ["n"] = 1000000, ["torch1"] = 604480 },
        [8] = { ["kiln1"] = 6730394.7, ["kiln2"] = 2433578.7, ["n"] = 10000000, ["torch1"] = 22904088 },
        [9] = { ["kiln1"] = 67853937, ["kiln2"] = 39160233, ["n"] = 100000000 },
      },
    },
    [2] = {
      ["family"] = "pointwise",
      ["name"] = "exp",
      ["points"] = {
        [1] = { ["kiln1"] = 277.1, ["kiln2"] = 240.7, ["n"] = 1, ["torch1"] = 2526.5 },
        [2] = { ["kiln1"] = 272.2, ["kiln2"] = 283.5, ["n"] = 10, ["torch1"] = 2633.3 },
        [3] = { ["kiln1"] = 394.4, ["kiln2"] = 364.5, ["n"] = 100, ["torch1"] = 2960.5 },
        [4] = { ["kiln1"] = 1193.6, ["kiln2"] = 1172.4, ["n"] = 1000, ["torch1"] = 3448 },
        [5] = { ["kiln1"] = 8766.3, ["kiln2"] = 8242.7, ["n"] = 10000, ["torch1"] = 5915.4 },
        [6] = { ["kiln1"] = 97273.6, ["kiln2"] = 47122.5, ["n"] = 100000, ["torch1"] = 34012.2 },
        [7] = { ["kiln1"] = 521652.6, ["kiln2"] = 279120.2, ["n"] = 1000000, ["torch1"] = 469247 },
        [8] = { ["kiln1"] = 5411133.3, ["kiln2"] = 2715981, ["n"] = 10000000, ["torch1"] = 27897183 },
        [9] = { ["kiln1"] = 60571100, ["kiln2"] = 30111732, ["n"] = 100000000 },
      },
    },
    [3] = {
      ["family"] = "reduce",
      ["name"] = "sum",
      ["points"] = {
        [1] = { ["kiln1"] = 304.3, ["kiln2"] = 628.4, ["n"] = 1, ["torch1"] = 3597.5 },
        [2] = { ["kiln1"] = 584.9, ["kiln2"] = 661.9, ["n"] = 10, ["torch1"] = 3817.8 },
        [3] = { ["kiln1"] = 667.7, ["kiln2"] = 732.6, ["n"] = 100, ["torch1"] = 3987.8 },
        [4] = { ["kiln1"] = 475.9, ["kiln2"] = 394.4, ["n"] = 1000, ["torch1"] = 2198.8 },
        [5] = { ["kiln1"] = 916.4, ["kiln2"] = 1245.4, ["n"] = 10000, ["torch1"] = 2628.6 },
        [6] = { ["kiln1"] = 8217.8, ["kiln2"] = 7701.7, ["n"] = 100000, ["torch1"] = 11195.9 },
        [7] = { ["kiln1"] = 173341, ["kiln2"] = 53524, ["n"] = 1000000, ["torch1"] = 181981.3 },
        [8] = { ["kiln1"] = 1727327.1, ["kiln2"] = 884529.9, ["n"] = 10000000, ["torch1"] = 1779358.1 },
        [9] = { ["kiln1"] = 38616872, ["kiln2"] = 19471729, ["n"] = 100000000 },
      },
    },
    [4] = {
      ["family"] = "reduce",
      ["name"] = "softmax",
      ["points"] = {
        [1] = { ["kiln1"] = 749.1, ["kiln2"] = 681.6, ["n"] = 1, ["torch1"] = 2636.9 },
        [2] = { ["kiln1"] = 718.8, ["kiln2"] = 563.8, ["n"] = 10, ["torch1"] = 3152.7 },
        [3] = { ["kiln1"] = 524.9, ["kiln2"] = 783, ["n"] = 100, ["torch1"] = 1464.5 },
        [4] = { ["kiln1"] = 1537.6, ["kiln2"] = 1526.6, ["n"] = 1000, ["torch1"] = 2757.8 },
        [5] = { ["kiln1"] = 12767.7, ["kiln2"] = 12617.1, ["n"] = 10000, ["torch1"] = 11576.3 },
        [6] = { ["kiln1"] = 122603.6, ["kiln2"] = 56576.5, ["n"] = 100000, ["torch1"] = 91195.1 },
        [7] = { ["kiln1"] = 1156174.1, ["kiln2"] = 616297.4, ["n"] = 1000000, ["torch1"] = 967151.5 },
        [8] = { ["kiln1"] = 13015203, ["kiln2"] = 6184411.7, ["n"] = 10000000, ["torch1"] = 34747093 },
        [9] = { ["kiln1"] = 128970223, ["kiln2"] = 69346208, ["n"] = 100000000 },
      },
    },
    [5] = {
      ["family"] = "movement",
      ["name"] = "transposed",
      ["points"] = {
        [1] = { ["kiln1"] = 4.7, ["kiln2"] = 5.6, ["n"] = 1, ["torch1"] = 227.7 },
        [2] = { ["kiln1"] = 331.7, ["kiln2"] = 480.3, ["n"] = 100, ["torch1"] = 2189.3 },
        [3] = { ["kiln1"] = 13210.3, ["kiln2"] = 12202.3, ["n"] = 10000, ["torch1"] = 15466.2 },
        [4] = { ["kiln1"] = 892199.3, ["kiln2"] = 487432.8, ["n"] = 1000000, ["torch1"] = 1908195.8 },
        [5] = { ["kiln1"] = 116357235, ["kiln2"] = 58893718, ["n"] = 100000000 },
      },
    },
    [6] = {
      ["family"] = "movement",
      ["name"] = "cumsum",
      ["points"] = {
        [1] = { ["kiln1"] = 546.2, ["kiln2"] = 534.8, ["n"] = 1, ["torch1"] = 3191.1 },
        [2] = { ["kiln1"] = 535.8, ["kiln2"] = 540.6, ["n"] = 10, ["torch1"] = 3245.8 },
        [3] = { ["kiln1"] = 812.1, ["kiln2"] = 888.8, ["n"] = 100, ["torch1"] = 3392.9 },
        [4] = { ["kiln1"] = 4162.4, ["kiln2"] = 4329.1, ["n"] = 1000, ["torch1"] = 4368 },
        [5] = { ["kiln1"] = 10933.8, ["kiln2"] = 9705.1, ["n"] = 10000, ["torch1"] = 15679.6 },
        [6] = { ["kiln1"] = 65414.7, ["kiln2"] = 51509.2, ["n"] = 100000, ["torch1"] = 79914.2 },
        [7] = { ["kiln1"] = 734999.8, ["kiln2"] = 703109.6, ["n"] = 1000000, ["torch1"] = 811711.9 },
        [8] = { ["kiln1"] = 11746239, ["kiln2"] = 6942226, ["n"] = 10000000, ["torch1"] = 33669802 },
        [9] = { ["kiln1"] = 101309395, ["kiln2"] = 104477062, ["n"] = 100000000 },
      },
    },
    [7] = {
      ["family"] = "movement",
      ["name"] = "sort",
      ["points"] = {
        [1] = { ["kiln1"] = 670.1, ["kiln2"] = 908.5, ["n"] = 1, ["torch1"] = 4620.5 },
        [2] = { ["kiln1"] = 750.7, ["kiln2"] = 767.6, ["n"] = 10, ["torch1"] = 4655.8 },
        [3] = { ["kiln1"] = 4864.3, ["kiln2"] = 4907.4, ["n"] = 100, ["torch1"] = 9481.1 },
        [4] = { ["kiln1"] = 12285.4, ["kiln2"] = 12070, ["n"] = 1000, ["torch1"] = 18263.5 },
        [5] = { ["kiln1"] = 130184.4, ["kiln2"] = 132872.8, ["n"] = 10000, ["torch1"] = 688719.7 },
        [6] = { ["kiln1"] = 1432909.2, ["kiln2"] = 1135056.8, ["n"] = 100000, ["torch1"] = 9003935.5 },
        [7] = { ["kiln1"] = 31158923, ["kiln2"] = 10333931.5, ["n"] = 1000000, ["torch1"] = 133281640 },
        [8] = { ["kiln1"] = 570398655, ["kiln2"] = 244149985, ["n"] = 10000000, ["torch1"] = 1605461872 },
      },
    },
    [8] = {
      ["family"] = "random",
      ["name"] = "rand",
      ["points"] = {
        [1] = { ["kiln1"] = 792.3, ["kiln2"] = 1491.9, ["n"] = 1, ["torch1"] = 2266.9 },
        [2] = { ["kiln1"] = 948.5, ["kiln2"] = 876.6, ["n"] = 10, ["torch1"] = 1661.5 },
        [3] = { ["kiln1"] = 1131, ["kiln2"] = 938, ["n"] = 100, ["torch1"] = 2154.7 },
        [4] = { ["kiln1"] = 1816.1, ["kiln2"] = 1831.3, ["n"] = 1000, ["torch1"] = 5488.8 },
        [5] = { ["kiln1"] = 9088, ["kiln2"] = 8186, ["n"] = 10000, ["torch1"] = 39820.8 },
        [6] = { ["kiln1"] = 69727.3, ["kiln2"] = 38550.4, ["n"] = 100000, ["torch1"] = 375626.7 },
        [7] = { ["kiln1"] = 714479.5, ["kiln2"] = 567479.1, ["n"] = 1000000, ["torch1"] = 4144550.8 },
        [8] = { ["kiln1"] = 7470059, ["kiln2"] = 4050823.7, ["n"] = 10000000, ["torch1"] = 55179139 },
        [9] = { ["kiln1"] = 509294825, ["kiln2"] = 37812040, ["n"] = 100000000 },
      },
    },
    [9] = {
      ["family"] = "matmul",
      ["name"] = "product",
      ["points"] = {
        [1] = { ["kiln1"] = 290.2, ["kiln2"] = 200.7, ["n"] = 1, ["torch1"] = 2947.1 },
        [2] = { ["kiln1"] = 421.8, ["kiln2"] = 603, ["n"] = 100, ["torch1"] = 1793.8 },
        [3] = { ["kiln1"] = 27438, ["kiln2"] = 27256, ["n"] = 10000, ["torch1"] = 29296.8 },
        [4] = { ["kiln1"] = 22852550, ["kiln2"] = 10853029.5, ["n"] = 1000000, ["torch1"] = 21450856 },
      },
    },
    [10] = {
      ["family"] = "conv",
      ["name"] = "forward",
      ["points"] = {
        [1] = { ["kiln1"] = 16115.3, ["kiln2"] = 16394.2, ["n"] = 1, ["torch1"] = 7408.8 },
        [2] = { ["kiln1"] = 16969, ["kiln2"] = 18406.2, ["n"] = 100, ["torch1"] = 9528.4 },
        [3] = { ["kiln1"] = 63513.5, ["kiln2"] = 64653.3, ["n"] = 10000, ["torch1"] = 34923.1 },
        [4] = { ["kiln1"] = 13810038, ["kiln2"] = 13599151, ["n"] = 1000000, ["torch1"] = 47535762 },
        [5] = { ["kiln1"] = 5765967419, ["kiln2"] = 5139500586, ["n"] = 100000000 },
      },
    },
    [11] = {
      ["family"] = "optim",
      ["name"] = "adam",
      ["points"] = {
        [1] = { ["kiln1"] = 3564, ["kiln2"] = 3618, ["n"] = 1, ["torch1"] = 64038.2 },
        [2] = { ["kiln1"] = 3645.8, ["kiln2"] = 3512.5, ["n"] = 10, ["torch1"] = 60957.6 },
        [3] = { ["kiln1"] = 3767.4, ["kiln2"] = 4221.7, ["n"] = 100, ["torch1"] = 63939.1 },
        [4] = { ["kiln1"] = 4334.8, ["kiln2"] = 4003.1, ["n"] = 1000, ["torch1"] = 71869.3 },
        [5] = { ["kiln1"] = 9808.3, ["kiln2"] = 9743.3, ["n"] = 10000, ["torch1"] = 133903 },
        [6] = { ["kiln1"] = 59279.9, ["kiln2"] = 33762.8, ["n"] = 100000, ["torch1"] = 302851.1 },
        [7] = { ["kiln1"] = 731509.3, ["kiln2"] = 395983, ["n"] = 1000000, ["torch1"] = 2746997.2 },
        [8] = { ["kiln1"] = 16636134, ["kiln2"] = 7195866.7, ["n"] = 10000000, ["torch1"] = 97002209 },
        [9] = { ["kiln1"] = 147938433, ["kiln2"] = 78596886, ["n"] = 100000000 },
      },
    },
    [12] = {
      ["family"] = "fused",
      ["name"] = "expression",
      ["points"] = {
        [1] = { ["kiln1"] = 18166.8, ["kiln2"] = 16833.8, ["n"] = 1, ["torch1"] = 70238.4 },
        [2] = { ["kiln1"] = 29029.2, ["kiln2"] = 27155.9, ["n"] = 10, ["torch1"] = 104771.1 },
        [3] = { ["kiln1"] = 27776.6, ["kiln2"] = 26886.1, ["n"] = 100, ["torch1"] = 104102.1 },
        [4] = { ["kiln1"] = 32755.5, ["kiln2"] = 31354, ["n"] = 1000, ["torch1"] = 110162.9 },
        [5] = { ["kiln1"] = 62527.4, ["kiln2"] = 56999.7, ["n"] = 10000, ["torch1"] = 139842 },
        [6] = { ["kiln1"] = 410678.1, ["kiln2"] = 233676.9, ["n"] = 100000, ["torch1"] = 745791.7 },
        [7] = { ["kiln1"] = 4067401.3, ["kiln2"] = 2566227, ["n"] = 1000000, ["torch1"] = 7469583.5 },
        [8] = { ["kiln1"] = 32068123, ["kiln2"] = 30516898, ["n"] = 10000000, ["torch1"] = 237727873 },
        [9] = { ["kiln1"] = 436983993, ["kiln2"] = 258200155, ["n"] = 100000000 },
      },
    },
  },
  ["peaks"] = {
    ["training.cnn 64"] = { ["kiln"] = 154164, ["torch"] = 808932 },
    ["training.gpt 6x384x6x8x256"] = { ["kiln"] = 614800, ["torch"] = 1382988 },
    ["training.gru 32x64"] = { ["kiln"] = 126132, ["torch"] = 768584 },
    ["training.lstm 32x64"] = { ["kiln"] = 129380, ["torch"] = 765996 },
    ["training.mlp 64"] = { ["kiln"] = 60756, ["torch"] = 714844 },
    ["training.resnet18 8x64"] = { ["kiln"] = 285020, ["torch"] = 913492 },
  },
  ["seconds"] = 643.1337432,
  ["threads"] = { [1] = 1, [2] = 2 },
  ["versions"] = { ["blas"] = "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY USE_OPENMP SkylakeX MAX_THREADS=64", ["jax"] = "0.10.2", ["kiln"] = "0.1.0", ["luajit"] = "LuaJIT 2.1.0-beta3", ["onednn"] = "2.6.3", ["torch"] = "2.15.0+cu132" },
}
