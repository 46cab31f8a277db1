--- Looking at the recorded graph: x.grad_fn and what stands behind it.
-- A GradFn is a tensor and a path of inputs from its node; the node is looked up at every question,
-- so nothing dangles when the graph is freed or rewritten.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local handles = require "kiln.handles"

---@class kiln.GradFn
local GradFn = { __name = "GradFn" }
GradFn.__index = GradFn

local M = {}

-- The node, lent; the graph may have changed since the GradFn was made.
local function node_of(fn)
  if getmetatable(fn) ~= GradFn or fn.tensor == nil then
    check.raise("grad_fn", "must be called on a grad_fn (f:name()), got %s", check.got(fn))
  end
  local node = fn.tensor.p ~= nil and C.kiln_peek_node(fn.tensor.p) or nil
  for _, i in ipairs(fn.path) do
    if node == nil then break end
    node = C.kiln_peek_input(node, i - 1)
  end
  if node == nil then check.raise("grad_fn", "the graph has changed: this node is gone") end
  return node
end

--- The grad_fn of a tensor, nil for a leaf.
---@return kiln.GradFn?
function M.of(x)
  check.tensor(x, "graph.of", "x")
  if C.kiln_peek_node(x.p) == nil then return nil end
  return setmetatable({ tensor = x, path = {} }, GradFn)
end

--- Whether the history of x leads to a node (lent).  What was recorded before it cannot.
function M.leads_to(x, node)
  check.tensor(x, "graph.leads_to", "x")
  if not ffi.istype("kiln_node *", node) or node == nil then
    check.raise("graph.leads_to", "node must be a node, got %s", check.got(node))
  end
  local function number(p) return tonumber(ffi.cast("uintptr_t", p)) end
  local target, first = number(node), C.kiln_node_sequence(node)
  local seen, stack = {}, { C.kiln_peek_node(x.p) }
  while #stack > 0 do
    local n = table.remove(stack)
    if number(n) == target then return true end
    if n ~= nil and C.kiln_node_sequence(n) > first and not seen[number(n)] then
      seen[number(n)] = true
      for i = 1, C.kiln_node_inputs(n) do stack[#stack + 1] = C.kiln_peek_input(n, i - 1) end
    end
  end
  return false
end

--- The op that was recorded ("mul"), "accumulate" for a leaf.
function GradFn:name() return ffi.string(C.kiln_node_name(node_of(self))) end

--- A number that grows with the order of recording.
function GradFn:sequence() return tonumber(C.kiln_node_sequence(node_of(self))) end

--- The nodes that its inputs came from: a list, false where no gradient flows.
---@return (kiln.GradFn|false)[]
function GradFn:next_functions()
  local node, list = node_of(self), {}
  for i = 1, C.kiln_node_inputs(node) do
    list[i] = false
    if C.kiln_peek_input(node, i - 1) ~= nil then
      local path = { unpack(self.path) }
      path[#path + 1] = i
      list[i] = setmetatable({ tensor = self.tensor, path = path }, GradFn)
    end
  end
  return list
end

--- The tensor of an "accumulate" node, nil for others or when it is gone.
---@return kiln.Tensor?
function GradFn:variable()
  local leaf = C.kiln_peek_leaf(node_of(self))
  if leaf == nil then return nil end
  return handles.wrap(C.kiln_tensor_retain(leaf))
end

-- -- Pictures ----------------------------------------------------------------------------------

local function address(p) return tostring(ffi.cast("uintptr_t", p)) end

-- All nodes behind a tensor, each once: { id, name, inputs (ids or false) }, and of a leaf shape and leaf (a
-- key by which M.key(tensor) finds it).
local function walk(x, name)
  check.tensor(x, name, "x")
  local root = C.kiln_peek_node(x.p)
  if root == nil then check.raise(name, "the tensor is a leaf; it has no graph") end
  local ids, nodes = {}, {}
  local function add(node)
    local key = address(node)
    if not ids[key] then
      nodes[#nodes + 1] = { node = node, id = #nodes + 1, inputs = {} }
      ids[key] = #nodes
    end
    return ids[key]
  end
  add(root)
  local i = 1
  while i <= #nodes do
    local n = nodes[i]
    n.name = ffi.string(C.kiln_node_name(n.node))
    local leaf = C.kiln_peek_leaf(n.node)
    if leaf ~= nil then n.shape, n.leaf = check.shape_text { p = leaf }, address(leaf) end
    for k = 1, C.kiln_node_inputs(n.node) do
      local input = C.kiln_peek_input(n.node, k - 1)
      n.inputs[k] = input ~= nil and add(input) or false
    end
    n.node = nil
    i = i + 1
  end
  return nodes
end

--- The graph behind x as a list of nodes, x's own first: { id, name, inputs } with the ids of the nodes that
--- the inputs came from (false: none), for a leaf also shape and leaf.
---@param x kiln.Tensor
---@return table[]
function M.nodes(x) return walk(x, "graph.nodes") end

--- What a leaf's node carries as `leaf`.
function M.key(x) return address(check.tensor(x, "graph.key", "x").p) end

--- The graph behind x, a line a node: its number, op and the numbers of its inputs.
---@param x kiln.Tensor
---@return string
function M.text(x)
  local lines = {}
  for _, n in ipairs(walk(x, "graph.text")) do
    local inputs = {}
    for k, id in ipairs(n.inputs) do inputs[k] = id and "#" .. id or "-" end
    lines[#lines + 1] = ("#%d %s%s%s"):format(n.id, n.name, n.shape and " " .. n.shape or "",
      #inputs > 0 and " <- " .. table.concat(inputs, ", ") or "")
  end
  return table.concat(lines, "\n")
end

--- The graph behind x for Graphviz: `dot -Tsvg`.
---@param x kiln.Tensor
---@return string
function M.dot(x)
  local lines = { "digraph kiln {", "  node [shape=box, fontname=monospace];" }
  for _, n in ipairs(walk(x, "graph.dot")) do
    lines[#lines + 1] = ("  n%d [label=%q%s];"):format(n.id, n.name .. (n.shape and " " .. n.shape or ""),
      n.name == "accumulate" and ", style=filled" or "")
    for _, id in ipairs(n.inputs) do
      if id then lines[#lines + 1] = ("  n%d -> n%d;"):format(id, n.id) end
    end
  end
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n") .. "\n"
end

function GradFn:__tostring() return ("<%s>"):format(self:name()) end
function GradFn.__eq(a, b) return node_of(a) == node_of(b) end

return M
