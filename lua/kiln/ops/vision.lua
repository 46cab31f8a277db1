--- Op rows: vision.
return function(_op, _K)
end
