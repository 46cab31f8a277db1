--- TextDataset: a text as positions in its alphabet, cut into windows, with what follows each character.
-- Characters are bytes.  It refuses to know words or tokens.
local kiln = require "kiln"
local Dataset = require("kiln.utils.data.dataset").Dataset
local args = require "kiln.utils.args"
local check = require "kiln.check"
local files = require "kiln.utils.files"
local sink = require "kiln.serialization.sink"

local raise, got = check.raise, check.got

---@class kiln.utils.data.TextDataset: kiln.utils.data.Dataset
---@field alphabet string[]  the characters of the text, in order
---@field codes kiln.Tensor  the text as int64 positions in the alphabet
local TextDataset = Dataset:extend "TextDataset"

local parse = args.define("TextDataset", "text: string, length: count")

--- Sample i is characters i..i+length-1 of the text and, for each, the one behind it: two int64 [length].
function TextDataset:init(...)
  local a = parse(...)
  if #a.text <= a.length then
    raise("TextDataset", "the text has %d characters, windows of %d need one more", #a.text, a.length)
  end
  self.length, self.alphabet, self.code_of = a.length, {}, {}
  local seen, list = {}, {}
  for i = 1, #a.text do
    list[i] = a.text:byte(i)
    seen[list[i]] = true
  end
  for byte = 0, 255 do
    if seen[byte] then
      self.alphabet[#self.alphabet + 1] = string.char(byte)
      self.code_of[string.char(byte)] = #self.alphabet
    end
  end
  for i, byte in ipairs(list) do list[i] = self.code_of[string.char(byte)] end
  self.codes = kiln.tensor(list, { dtype = kiln.int64 })
end

--- The dataset of a file.
---@param path string
---@param length integer
function TextDataset.from_file(path, length)
  sink.check_path("TextDataset", path)
  local file, why = files.open(path)
  if not file then raise("TextDataset", "cannot read %s: %s", path, why) end
  local text = file:read "*a"
  file:close()
  return TextDataset(text, length)
end

function TextDataset:len()
  check.self(self, "len", "dataset")
  return self.codes:size(1) - self.length
end

function TextDataset:get(i)
  check.self(self, "get", "dataset")
  i = self:position(i)
  return self.codes:narrow(1, i, self.length), self.codes:narrow(1, i + 1, self.length)
end

--- Windows [n, length] at n positions, and what follows.
function TextDataset:get_batch(positions)
  check.self(self, "get_batch", "dataset")
  local offsets = kiln.arange(0, self.length + 1, { dtype = kiln.int64 })
  local places = positions:unsqueeze(2) + offsets
  local rows = self.codes:index_select(1, places:reshape(-1)):view(places:size())
  return rows:narrow(2, 1, self.length), rows:narrow(2, 2, self.length)
end

--- A text as int64 positions in the alphabet.
---@param text string
---@return kiln.Tensor
function TextDataset:encode(text)
  check.self(self, "encode", "dataset")
  if type(text) ~= "string" then raise("TextDataset", "encode: text must be a string, not %s", got(text)) end
  local list = {}
  for i = 1, #text do
    list[i] = self.code_of[text:sub(i, i)]
    if not list[i] then
      raise("TextDataset", "encode: character %d, %s, is not in the alphabet", i, got(text:sub(i, i)))
    end
  end
  return kiln.tensor(list, { dtype = kiln.int64 })
end

--- The text of positions, a tensor [n].
---@param codes kiln.Tensor
---@return string
function TextDataset:decode(codes)
  check.self(self, "decode", "dataset")
  local list = check.tensor(codes, "TextDataset", "codes"):tolist()
  if type(list) ~= "table" then list = { list } end
  for i, code in ipairs(list) do
    local character = self.alphabet[code]
    if not character then
      raise("TextDataset", "decode: position %s is not in 1..%d", got(code), #self.alphabet)
    end
    list[i] = character
  end
  return table.concat(list)
end

return { TextDataset = TextDataset }
