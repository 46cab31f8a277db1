--- Letters of 5 x 7 dots for charts in PNG: ASCII, Latin-1 and its neighbours, Greek, signs of mathematics.
-- What it lacks is drawn as a box.  It refuses to shape text: one character after the other, left to right.
local M = {}

-- Rows of dots: what has no mark above and no part below has rows 0 to HEIGHT - 1 of FIRST to LAST.
M.HEIGHT, M.ADVANCE, M.FIRST, M.LAST = 7, 6, -4, 8

-- A letter is 5 columns from the left, two hex digits each, the lowest bit on top.
local ROWS = [[
! 00005F0000 " 0007000700 # 147F147F14 $ 242A7F2A12 % 2313086462 & 3649562050 ' 0000070000
( 001C224100 ) 0041221C00 * 2A1C7F1C2A + 08083E0808 , 0050300000 - 0808080808 . 0060600000 / 2010080402
0 3E5149453E 1 00427F4000 2 4261514946 3 2141454B31 4 1814127F10 5 2745454539 6 3C4A494930 7 0171090503
8 3649494936 9 064949291E : 0036360000 ; 0056360000 < 0814224100 = 1414141414 > 0041221408 ? 0201510906
@ 324979413E A 7E1111117E B 7F49494936 C 3E41414122 D 7F4141221C E 7F49494941 F 7F09090901 G 3E4149497A
H 7F0808087F I 00417F4100 J 2040413F01 K 7F08142241 L 7F40404040 M 7F020C027F N 7F0408107F O 3E4141413E
P 7F09090906 Q 3E4151215E R 7F09192946 S 4649494931 T 01017F0101 U 3F4040403F V 1F2040201F W 3F4038403F
X 6314081463 Y 0708700807 Z 6151494543 [ 007F414100 \ 0204081020 ] 0041417F00 ^ 0402010204 _ 4040404040
` 0001020400 a 2054545478 b 7F48444438 c 3844444420 d 384444487F e 3854545418 f 087E090102 g 0C5252523E
h 7F08040478 i 00447D4000 j 2040443D00 k 7F10284400 l 00417F4000 m 7C04180478 n 7C08040478 o 3844444438
p 7C14141408 q 081414187C r 7C08040408 s 4854545420 t 043F444020 u 3C4040207C v 1C2040201C w 3C4030403C
x 4428102844 y 0C5050503C z 4464544C44 { 0008364100 | 00007F0000 } 0041360800 ~ 1008081008
¡ 00007D0000 ¢ 1C227F2222 £ 483E494922 ¤ 221C141C22 ¥ 15167C1615 ¦ 0000770000 § 0A55555528 © 3E415D5536
ª 1215171400 « 08142A1422 ¬ 040404041C ® 1E2B3F2B14 ° 0609090600 ± 44445F4444 ² 1915120000 ³ 11150A0000
µ 7C2000303C ¶ 06097F017F · 0000181800 ¹ 121F100000 º 1215151200 » 22142A1408 ¼ 1708347A21 ½ 1708646A59
¾ 150F347A21 ¿ 3048454020 Æ 7E097F4941 × 2214081422 Ð 497F49413E Ø 3E615D433E Þ 7F1212120C ß 7E01254A30
æ 24547C5458 ð 304A4B4D38 ÷ 08082A0808 ø 3864544C38 þ FF24242418 Œ 3E417F4941 œ 38443C505C ı 00447C4000
Γ 7F01010101 Δ 704C434C70 Θ 3E4949493E Λ 700C030C70 Ξ 4149494941 Π 7F0101017F Σ 6355494141 Φ 1C227F221C
Ψ 07087F0807 Ω 4E7101714E α 3844443844 β FE25251A00 γ 0C10E0100C δ 3A45454930 ε 2854544400 ζ 1925A3A141
η 7C080404F8 θ 3E49493E00 ι 003C404020 κ 7C10284400 λ 6019061860 μ FC2000303C ν 7C4020100C ξ 1A25A5A140
π 047C043C44 ρ F824242418 ς 0814542400 σ 38444C3404 τ 04043C4424 υ 3C4040403C φ 1824F82418 χ 4428102844
ψ 1C20FC201C ω 3844304438 ϕ 1824FF2418 ϵ 3854545400 ∂ 384545453E ∇ 0719611907 ∑ 4163554941 ∏ 017F017F01
√ 10207F0101 ∞ 1824182418 ∫ 20403E0102 ≈ 2412242412 ≠ 54341C1615 ≤ 00444A5100 ≥ 00514A4400 ≡ 2A2A2A2A2A
← 081C2A0808 ↑ 04027F0204 → 08082A1C08 ↓ 10207F2010 ↔ 1C2A082A1C ∈ 1C2A494949 ∉ 5C2A594E49 ∝ 3844382844
— 0808080808 … 4000400040 ‖ 007F007F00 ∀ 073C443C07 ∃ 414949497F ∅ 7C322A261F ∩ 7E0101017E ∪ 3F4040403F
⊂ 1C22222222 ⊆ 2629292929 ∧ 6018061860 ∨ 0618601806 ⊕ 3E497F493E ⊗ 3E5549553E ‘ 0006050000 ’ 000B070000
“ 0605020504 ” 0503040301 • 001C1C1C00 € 143E554163 ∘ 0018242418 ℓ 201E496700 ⁰ 1F111F0000 ⁴ 07041F0000
⁵ 1715090000 ⁶ 1E151D0000 ⁷ 011D030000 ⁸ 1F151F0000 ⁹ 17150F0000 ⁻ 0404040000 ℝ 7F7F091966 ⟨ 0008364100
⟩ 0041360800 ∼ 0804080804 ≪ 08142A1422 ≫ 22142A1408 ⁺ 040E040000 ⌀ 1C322A261C ´ 0000020100 ¨ 0001000100
¯ 0101010101 ¸ 0000804000 Ł 107F484440 ł 00517F4400 Đ 497F49413E
đ 3844487E0A ď 3844287E03 ť 043F442403 ƒ 40483F0902
]]

-- What looks like another letter, first the one that is asked for.
local LIKE = [[ ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX οo ϑθ µμ ΩΩ ∆Δ ′' ″" ∗* ∣| ∥‖ ⋅· ‐- ‑- −- –- ]]

-- Marks above a letter (5 columns, a hex digit each, 3 rows) and the letters that have them, each before what
-- it stands on.
local ABOVE = {
  ["02400"] = "ÀA ÈE ÌI ÒO ÙU àa èe ìı òo ùu",
  ["00420"] = "ÁA ÉE ÍI ÓO ÚU ÝY ĆC ŃN ŚS ŹZ áa ée íı óo úu ýy ćc ńn śs źz άα έε ήη ίι όo ύυ ώω",
  ["04240"] = "ÂA ÊE ÎI ÔO ÛU ŴW ŶY âa êe îı ôo ûu ŵw ŷy",
  ["42442"] = "ÃA ÑN ÕO ĨI ŨU ãa ñn õo ĩı ũu",
  ["04040"] = "ÄA ËE ÏI ÖO ÜU ŸY äa ëe ïı öo üu ÿy ϊι ϋυ",
  ["02520"] = "ÅA ŮU åa ůu",
  ["02420"] = "ČC ĎD ĚE ŇN ŘR ŠS ŤT ŽZ čc ěe ňn řr šs žz ĂA ĞG ăa ğg",
  ["04242"] = "ŐO ŰU őo űu",
  ["04440"] = "ĀA ĒE ĪI ŌO ŪU āa ēe īı ōo ūu",
  ["00400"] = "ĖE İI ŻZ ėe żz",
}
local BELOW = { -- 2 rows
  ["02300"] = "ÇC ŞS ŢT çc şs ţt",
  ["00012"] = "ĄA ĘE ĮI ŲU ąa ęe",
}

-- A character behind its superscript.
local SUBSCRIPTS = "⁰₀ ¹₁ ²₂ ³₃ ⁴₄ ⁵₅ ⁶₆ ⁷₇ ⁸₈ ⁹₉ ⁺₊ ⁻₋"

local SIGN = "([^%s\128-\191][\128-\191]*)" -- a character of UTF-8 that is no blank
local UP = -M.FIRST                          -- how much higher than the first row of a letter marks begin

local glyphs = { [" "] = { 0, 0, 0, 0, 0 }, ["\194\160"] = { 0, 0, 0, 0, 0 } }

-- Columns from digits, moved down by some rows.
local function columns_of(digits, a_column, down)
  local columns = {}
  for part in digits:gmatch(("%x"):rep(a_column)) do
    columns[#columns + 1] = bit.lshift(tonumber(part, 16), down)
  end
  return columns
end

-- The pairs of a list: what each second letter is, with marks, is the first one.
local function compose(list, marks)
  for letter, base in list:gmatch(SIGN .. SIGN) do
    local columns = {}
    for i, column in ipairs(glyphs[base]) do columns[i] = bit.bor(column, marks(base)[i]) end
    glyphs[letter] = columns
  end
end

for letter, digits in ROWS:gmatch(SIGN .. " (%x+)") do glyphs[letter] = columns_of(digits, 2, UP) end
for upper, lower in SUBSCRIPTS:gmatch(SIGN .. SIGN) do
  glyphs[lower] = {}
  for i, column in ipairs(glyphs[upper]) do glyphs[lower][i] = bit.lshift(column, 4) end
end
-- A mark stands a row above its letter; capitals begin at row 0, small letters at row 2.
for digits, list in pairs(ABOVE) do
  compose(list, function(base) return columns_of(digits, 1, base:find "^%u" and 0 or 2) end)
end
for digits, list in pairs(BELOW) do
  compose(list, function() return columns_of(digits, 1, UP + M.HEIGHT) end)
end
compose(LIKE, function() return glyphs[" "] end)

local BOX = columns_of("7F4141417F", 2, UP)

--- The columns of a letter, the lowest bit being row FIRST.
---@param letter string
---@return integer[]
function M.glyph(letter) return glyphs[letter] or BOX end

return M
