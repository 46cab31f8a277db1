--- read(path): the bytes of a file, which must be there.
return function(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "*a"
  file:close()
  return bytes
end
