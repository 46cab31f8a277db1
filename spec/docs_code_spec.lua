--- Every block of code in the README and the docs runs and prints what the page says.
-- Tensors are not counted: a page that gives all tensors a method keeps what that names.
-- ```lua: the ```text block behind it is what is printed.  ```kiln: what the prompt says.  ```c: stands in
-- the sources.  ```sh: names files that are there.  ```python is other people's programs, and runs nowhere.
local folder = require "spec.support.folder"
local read = require "spec.support.read"
local root = folder.root
local names = require "kiln.repl.names"
local pages = require "spec.support.pages"

local SOME = 5 -- fewer pages with code mean that the search went wrong

local function list_pages()
  local list = { "README.md" }
  for _, place in ipairs { "docs", "docs/guide" } do
    for _, name in ipairs(names.files(place)) do
      if name:find "%.md$" and name ~= "ops.md" then list[#list + 1] = place .. "/" .. name end
    end
  end
  table.sort(list)
  return list
end

-- From the root, before anything goes elsewhere.
local list = list_pages()

describe("code in the documentation", function()
  local with_code

  setup(function()
    folder.enter()
    with_code = 0
  end)

  teardown(folder.leave)

  for _, path in ipairs(list) do
    it("of " .. path, function()
      local blocks = pages.run(root .. "/" .. path)
      if #blocks > 0 then with_code = with_code + 1 end
      for _, block in ipairs(blocks) do
        local where = ("%s:%d"):format(path, block.line)
        assert.is_nil(block.problem, where)
        if block.output then assert.equal(block.output, block.printed, where) end
      end
    end)
  end

  -- The blocks of a kind: { line, text }.
  local function blocks_of(path, kind)
    local found, body, n = {}, nil, 0
    for line in io.lines(root .. "/" .. path) do
      n = n + 1
      if line == "```" .. kind then
        body = { line = n }
      elseif line == "```" and body then
        local text = table.concat(body, "\n") .. "\n"
        found[#found + 1], body = { where = ("%s:%d"):format(path, body.line), text = text }, nil
      elseif body then
        body[#body + 1] = line
      end
    end
    return found
  end

  -- Calls check(block) for the blocks of a kind on all pages, which are at least `least`.
  local function every(kind, least, check)
    local n = 0
    for _, path in ipairs(list) do
      for _, block in ipairs(blocks_of(path, kind)) do
        n = n + 1
        check(block)
      end
    end
    assert.is_true(n >= least, n .. " blocks of " .. kind)
  end

  it("and what the prompt is shown to say", function()
    every("kiln", 1, function(block)
      local input, expected = {}, {}
      for line in block.text:gmatch "([^\n]*)\n" do
        local typed = line:match "^kiln> (.*)" or line:match "^   %.%. (.*)"
        table.insert(typed and input or expected, typed or line)
      end
      local path = os.tmpname()
      local file = assert(io.open(path, "w"))
      file:write(table.concat(input, "\n"), "\n")
      file:close()
      local pipe = io.popen(("%s/lua/bin/kiln <%s 2>&1"):format(root, path))
      local said = pipe:read "*a"
      pipe:close()
      os.remove(path)
      assert.equal(table.concat(expected, "\n") .. "\n", said, block.where)
    end)
  end)

  it("in C stands in the sources", function()
    local pipe = io.popen(("cat %s/core/*.[ch] %s/core/*/*.[ch]"):format(root, root))
    local sources = pipe:read "*a"
    pipe:close()
    every("c", 2, function(block)
      local code = block.text:gsub("/%*.-%*/%s*", "")
      assert.is_truthy(sources:find(code, 1, true), block.where)
    end)
  end)

  it("for the shell names files that are there", function()
    every("sh", 4, function(block)
      for line in block.text:gmatch "[^\n]+" do
        for path in line:gsub("#.*", ""):gmatch "[%w_%-]+/[%w_%-/.]+" do
          if not path:find "^build/" then
            local pipe = io.popen("ls " .. root .. "/" .. path:gsub("/$", "") .. " 2>/dev/null")
            assert.is_truthy(pipe:read "*l", block.where .. ": " .. path)
            pipe:close()
          end
        end
      end
    end)
  end)

  it("and links lead to files that are there", function()
    for _, path in ipairs(list) do
      local text = read(root .. "/" .. path):gsub("```.-```", "")
      for target in text:gmatch "%]%(([^)#]+)[^)]*%)" do
        if not target:find "^https?:" then
          local found = io.open(("%s/%s/%s"):format(root, path:match "^(.*)/" or ".", target), "rb")
          assert.is_truthy(found, path .. " links to " .. target)
          found:close()
        end
      end
    end
  end)

  it("is on several pages", function() assert.is_true(with_code >= SOME) end)
end)
