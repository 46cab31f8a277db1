---@meta
-- What editors know of the ops.  Written by `luajit lua/kiln/docs.lua`; nothing requires this file.
-- luacheck: ignore

---@class kiln
local kiln = {}

---@class kiln.Tensor
local Tensor = {}

--- x + alpha * y, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function kiln.add(x, y, alpha) end

--- x + alpha * y, broadcast.
---@param y kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function Tensor:add(y, alpha) end

--- x + alpha * y, broadcast.
---@param y kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function Tensor:add_(y, alpha) end

--- x - alpha * y, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function kiln.sub(x, y, alpha) end

--- x - alpha * y, broadcast.
---@param y kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function Tensor:sub(y, alpha) end

--- x - alpha * y, broadcast.
---@param y kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function Tensor:sub_(y, alpha) end

--- x - alpha * y, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function kiln.subtract(x, y, alpha) end

--- x - alpha * y, broadcast.
---@param y kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function Tensor:subtract(y, alpha) end

--- x - alpha * y, broadcast.
---@param y kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function Tensor:subtract_(y, alpha) end

--- x * y, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.mul(x, y) end

--- x * y, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:mul(y) end

--- x * y, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:mul_(y) end

--- x * y, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.multiply(x, y) end

--- x * y, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:multiply(y) end

--- x * y, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:multiply_(y) end

--- x / y, broadcast; integers divide as the default float dtype. The option `rounding_mode` rounds the quotient: 'floor' (as floor_divide) or 'trunc' (toward 0), and integers stay what they are.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.div(x, y) end

--- x / y, broadcast; integers divide as the default float dtype. The option `rounding_mode` rounds the quotient: 'floor' (as floor_divide) or 'trunc' (toward 0), and integers stay what they are.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:div(y) end

--- x / y, broadcast; integers divide as the default float dtype. The option `rounding_mode` rounds the quotient: 'floor' (as floor_divide) or 'trunc' (toward 0), and integers stay what they are.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:div_(y) end

--- x / y, broadcast; integers divide as the default float dtype. The option `rounding_mode` rounds the quotient: 'floor' (as floor_divide) or 'trunc' (toward 0), and integers stay what they are.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.divide(x, y) end

--- x / y, broadcast; integers divide as the default float dtype. The option `rounding_mode` rounds the quotient: 'floor' (as floor_divide) or 'trunc' (toward 0), and integers stay what they are.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:divide(y) end

--- x / y, broadcast; integers divide as the default float dtype. The option `rounding_mode` rounds the quotient: 'floor' (as floor_divide) or 'trunc' (toward 0), and integers stay what they are.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:divide_(y) end

--- x / y, broadcast; integers divide as the default float dtype. The option `rounding_mode` rounds the quotient: 'floor' (as floor_divide) or 'trunc' (toward 0), and integers stay what they are.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.true_divide(x, y) end

--- x / y, broadcast; integers divide as the default float dtype. The option `rounding_mode` rounds the quotient: 'floor' (as floor_divide) or 'trunc' (toward 0), and integers stay what they are.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:true_divide(y) end

--- x / y, broadcast; integers divide as the default float dtype. The option `rounding_mode` rounds the quotient: 'floor' (as floor_divide) or 'trunc' (toward 0), and integers stay what they are.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:true_divide_(y) end

--- x / y rounded down, broadcast; 0 where an integer divisor is 0.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.floor_divide(x, y) end

--- x / y rounded down, broadcast; 0 where an integer divisor is 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:floor_divide(y) end

--- x / y rounded down, broadcast; 0 where an integer divisor is 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:floor_divide_(y) end

--- x / y rounded toward 0, broadcast; 0 where an integer divisor is 0.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.trunc_divide(x, y) end

--- x / y rounded toward 0, broadcast; 0 where an integer divisor is 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:trunc_divide(y) end

--- x / y rounded toward 0, broadcast; 0 where an integer divisor is 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:trunc_divide_(y) end

--- Remainder of x / y rounded toward 0; it has the sign of x. 0 where an integer divisor is 0.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.fmod(x, y) end

--- Remainder of x / y rounded toward 0; it has the sign of x. 0 where an integer divisor is 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:fmod(y) end

--- Remainder of x / y rounded toward 0; it has the sign of x. 0 where an integer divisor is 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:fmod_(y) end

--- Remainder of x / y rounded down; it has the sign of y. 0 where an integer divisor is 0.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.remainder(x, y) end

--- Remainder of x / y rounded down; it has the sign of y. 0 where an integer divisor is 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:remainder(y) end

--- Remainder of x / y rounded down; it has the sign of y. 0 where an integer divisor is 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:remainder_(y) end

--- x to the power y, broadcast; a negative power of an integer is 0 unless the integer is 1 or -1.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.pow(x, y) end

--- x to the power y, broadcast; a negative power of an integer is 0 unless the integer is 1 or -1.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:pow(y) end

--- x to the power y, broadcast; a negative power of an integer is 0 unless the integer is 1 or -1.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:pow_(y) end

--- The larger of x and y, broadcast; NaN if either is.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.maximum(x, y) end

--- The larger of x and y, broadcast; NaN if either is.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:maximum(y) end

--- The larger of x and y, broadcast; NaN if either is.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:maximum_(y) end

--- The smaller of x and y, broadcast; NaN if either is.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.minimum(x, y) end

--- The smaller of x and y, broadcast; NaN if either is.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:minimum(y) end

--- The smaller of x and y, broadcast; NaN if either is.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:minimum_(y) end

--- x, but not below min and not above max, which may also be tensors (broadcast). A fraction makes integers floating; a bound that is infinite is none. bool counts as int64.
---@param x kiln.Tensor|number
---@param min? number
---@param max? number
---@return kiln.Tensor
function kiln.clamp(x, min, max) end

--- x, but not below min and not above max, which may also be tensors (broadcast). A fraction makes integers floating; a bound that is infinite is none. bool counts as int64.
---@param min? number
---@param max? number
---@return kiln.Tensor
function Tensor:clamp(min, max) end

--- x, but not below min and not above max, which may also be tensors (broadcast). A fraction makes integers floating; a bound that is infinite is none. bool counts as int64.
---@param min? number
---@param max? number
---@return kiln.Tensor
function Tensor:clamp_(min, max) end

--- x, but not below min and not above max, which may also be tensors (broadcast). A fraction makes integers floating; a bound that is infinite is none. bool counts as int64.
---@param x kiln.Tensor|number
---@param min? number
---@param max? number
---@return kiln.Tensor
function kiln.clip(x, min, max) end

--- x, but not below min and not above max, which may also be tensors (broadcast). A fraction makes integers floating; a bound that is infinite is none. bool counts as int64.
---@param min? number
---@param max? number
---@return kiln.Tensor
function Tensor:clip(min, max) end

--- x, but not below min and not above max, which may also be tensors (broadcast). A fraction makes integers floating; a bound that is infinite is none. bool counts as int64.
---@param min? number
---@param max? number
---@return kiln.Tensor
function Tensor:clip_(min, max) end

--- x with other numbers for NaN, infinity and minus infinity (without: the largest and the smallest that the dtype holds).
---@param x kiln.Tensor|number
---@param nan? number
---@param posinf? number
---@param neginf? number
---@return kiln.Tensor
function kiln.nan_to_num(x, nan, posinf, neginf) end

--- x with other numbers for NaN, infinity and minus infinity (without: the largest and the smallest that the dtype holds).
---@param nan? number
---@param posinf? number
---@param neginf? number
---@return kiln.Tensor
function Tensor:nan_to_num(nan, posinf, neginf) end

--- x with other numbers for NaN, infinity and minus infinity (without: the largest and the smallest that the dtype holds).
---@param nan? number
---@param posinf? number
---@param neginf? number
---@return kiln.Tensor
function Tensor:nan_to_num_(nan, posinf, neginf) end

--- clamp by min alone.
---@param x kiln.Tensor|number
---@param min? any
---@return kiln.Tensor
function kiln.clamp_min(x, min) end

--- clamp by min alone.
---@param min? any
---@return kiln.Tensor
function Tensor:clamp_min(min) end

--- clamp by min alone.
---@param min? any
---@return kiln.Tensor
function Tensor:clamp_min_(min) end

--- clamp by max alone.
---@param x kiln.Tensor|number
---@param max? any
---@return kiln.Tensor
function kiln.clamp_max(x, max) end

--- clamp by max alone.
---@param max? any
---@return kiln.Tensor
function Tensor:clamp_max(max) end

--- clamp by max alone.
---@param max? any
---@return kiln.Tensor
function Tensor:clamp_max_(max) end

--- x + value * y * z, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param z kiln.Tensor|number
---@param value? number
---@return kiln.Tensor
function kiln.addcmul(x, y, z, value) end

--- x + value * y * z, broadcast.
---@param y kiln.Tensor|number
---@param z kiln.Tensor|number
---@param value? number
---@return kiln.Tensor
function Tensor:addcmul(y, z, value) end

--- x + value * y * z, broadcast.
---@param y kiln.Tensor|number
---@param z kiln.Tensor|number
---@param value? number
---@return kiln.Tensor
function Tensor:addcmul_(y, z, value) end

--- x + value * y / z, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param z kiln.Tensor|number
---@param value? number
---@return kiln.Tensor
function kiln.addcdiv(x, y, z, value) end

--- x + value * y / z, broadcast.
---@param y kiln.Tensor|number
---@param z kiln.Tensor|number
---@param value? number
---@return kiln.Tensor
function Tensor:addcdiv(y, z, value) end

--- x + value * y / z, broadcast.
---@param y kiln.Tensor|number
---@param z kiln.Tensor|number
---@param value? number
---@return kiln.Tensor
function Tensor:addcdiv_(y, z, value) end

--- From x (weight 0) to y (weight 1) in a straight line, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param weight kiln.Tensor|number
---@return kiln.Tensor
function kiln.lerp(x, y, weight) end

--- From x (weight 0) to y (weight 1) in a straight line, broadcast.
---@param y kiln.Tensor|number
---@param weight kiln.Tensor|number
---@return kiln.Tensor
function Tensor:lerp(y, weight) end

--- From x (weight 0) to y (weight 1) in a straight line, broadcast.
---@param y kiln.Tensor|number
---@param weight kiln.Tensor|number
---@return kiln.Tensor
function Tensor:lerp_(y, weight) end

--- -x.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.neg(x) end

--- -x.
---@return kiln.Tensor
function Tensor:neg() end

--- -x.
---@return kiln.Tensor
function Tensor:neg_() end

--- -x.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.negative(x) end

--- -x.
---@return kiln.Tensor
function Tensor:negative() end

--- -x.
---@return kiln.Tensor
function Tensor:negative_() end

--- Absolute value.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.abs(x) end

--- Absolute value.
---@return kiln.Tensor
function Tensor:abs() end

--- Absolute value.
---@return kiln.Tensor
function Tensor:abs_() end

--- Absolute value.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.absolute(x) end

--- Absolute value.
---@return kiln.Tensor
function Tensor:absolute() end

--- Absolute value.
---@return kiln.Tensor
function Tensor:absolute_() end

--- -1, 0 or 1; 0 for NaN, as in the reference.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.sign(x) end

--- -1, 0 or 1; 0 for NaN, as in the reference.
---@return kiln.Tensor
function Tensor:sign() end

--- -1, 0 or 1; 0 for NaN, as in the reference.
---@return kiln.Tensor
function Tensor:sign_() end

--- -1, 0 or 1; 0 for NaN, as in the reference.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.sgn(x) end

--- -1, 0 or 1; 0 for NaN, as in the reference.
---@return kiln.Tensor
function Tensor:sgn() end

--- -1, 0 or 1; 0 for NaN, as in the reference.
---@return kiln.Tensor
function Tensor:sgn_() end

--- x * x.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.square(x) end

--- x * x.
---@return kiln.Tensor
function Tensor:square() end

--- x * x.
---@return kiln.Tensor
function Tensor:square_() end

--- 1 / x.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.reciprocal(x) end

--- 1 / x.
---@return kiln.Tensor
function Tensor:reciprocal() end

--- 1 / x.
---@return kiln.Tensor
function Tensor:reciprocal_() end

--- y - x.
---@param x kiln.Tensor|number
---@param y? any
---@return kiln.Tensor
function kiln.rsub(x, y) end

--- y - x.
---@param y? any
---@return kiln.Tensor
function Tensor:rsub(y) end

--- The larger of x and y, broadcast; NaN only if both are.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.fmax(x, y) end

--- The larger of x and y, broadcast; NaN only if both are.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:fmax(y) end

--- The larger of x and y, broadcast; NaN only if both are.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:fmax_(y) end

--- The smaller of x and y, broadcast; NaN only if both are.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.fmin(x, y) end

--- The smaller of x and y, broadcast; NaN only if both are.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:fmin(y) end

--- The smaller of x and y, broadcast; NaN only if both are.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:fmin_(y) end

--- 0 where x is below 0, 1 where it is above, values (broadcast) where it is 0.
---@param x kiln.Tensor|number
---@param values kiln.Tensor|number
---@return kiln.Tensor
function kiln.heaviside(x, values) end

--- 0 where x is below 0, 1 where it is above, values (broadcast) where it is 0.
---@param values kiln.Tensor|number
---@return kiln.Tensor
function Tensor:heaviside(values) end

--- 0 where x is below 0, 1 where it is above, values (broadcast) where it is 0.
---@param values kiln.Tensor|number
---@return kiln.Tensor
function Tensor:heaviside_(values) end

--- x with the sign of y, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.copysign(x, y) end

--- x with the sign of y, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:copysign(y) end

--- x with the sign of y, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:copysign_(y) end

--- The next number of the dtype from x towards y, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.nextafter(x, y) end

--- The next number of the dtype from x towards y, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:nextafter(y) end

--- The next number of the dtype from x towards y, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:nextafter_(y) end

--- x * 2^y, broadcast, also where 2^y alone is no number of the dtype.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.ldexp(x, y) end

--- x * 2^y, broadcast, also where 2^y alone is no number of the dtype.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:ldexp(y) end

--- x * 2^y, broadcast, also where 2^y alone is no number of the dtype.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:ldexp_(y) end

--- Mantissas, whose absolute values are from 0.5 to below 1, and exponents (int32): x = mantissa * 2^exponent.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.frexp(x) end

--- Mantissas, whose absolute values are from 0.5 to below 1, and exponents (int32): x = mantissa * 2^exponent.
---@return kiln.Tensor
function Tensor:frexp() end

--- x to the power y in float64, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.float_power(x, y) end

--- x to the power y in float64, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:float_power(y) end

--- x to the power y in float64, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:float_power_(y) end

--- The angle of each number: pi below 0, else 0; NaN of NaN.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.angle(x) end

--- The angle of each number: pi below 0, else 0; NaN of NaN.
---@return kiln.Tensor
function Tensor:angle() end

--- x itself.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.positive(x) end

--- x itself.
---@return kiln.Tensor
function Tensor:positive() end

--- Bits that x and y both have.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.bitwise_and(x, y) end

--- Bits that x and y both have.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bitwise_and(y) end

--- Bits that x and y both have.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bitwise_and_(y) end

--- Bits that x or y have.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.bitwise_or(x, y) end

--- Bits that x or y have.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bitwise_or(y) end

--- Bits that x or y have.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bitwise_or_(y) end

--- Bits that one of x and y has.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.bitwise_xor(x, y) end

--- Bits that one of x and y has.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bitwise_xor(y) end

--- Bits that one of x and y has.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bitwise_xor_(y) end

--- The bits that x has not.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.bitwise_not(x) end

--- The bits that x has not.
---@return kiln.Tensor
function Tensor:bitwise_not() end

--- The bits that x has not.
---@return kiln.Tensor
function Tensor:bitwise_not_() end

--- x * 2^y of integers, by bits.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.bitwise_left_shift(x, y) end

--- x * 2^y of integers, by bits.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bitwise_left_shift(y) end

--- x * 2^y of integers, by bits.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bitwise_left_shift_(y) end

--- x / 2^y of integers rounded down, by bits.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.bitwise_right_shift(x, y) end

--- x / 2^y of integers rounded down, by bits.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bitwise_right_shift(y) end

--- x / 2^y of integers rounded down, by bits.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bitwise_right_shift_(y) end

--- The greatest common divisor of integers.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.gcd(x, y) end

--- The greatest common divisor of integers.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:gcd(y) end

--- The greatest common divisor of integers.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:gcd_(y) end

--- The least common multiple of integers.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.lcm(x, y) end

--- The least common multiple of integers.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:lcm(y) end

--- The least common multiple of integers.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:lcm_(y) end

--- Rounded down.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.floor(x) end

--- Rounded down.
---@return kiln.Tensor
function Tensor:floor() end

--- Rounded down.
---@return kiln.Tensor
function Tensor:floor_() end

--- Rounded up.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.ceil(x) end

--- Rounded up.
---@return kiln.Tensor
function Tensor:ceil() end

--- Rounded up.
---@return kiln.Tensor
function Tensor:ceil_() end

--- Rounded toward 0.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.trunc(x) end

--- Rounded toward 0.
---@return kiln.Tensor
function Tensor:trunc() end

--- Rounded toward 0.
---@return kiln.Tensor
function Tensor:trunc_() end

--- Rounded toward 0.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.fix(x) end

--- Rounded toward 0.
---@return kiln.Tensor
function Tensor:fix() end

--- Rounded toward 0.
---@return kiln.Tensor
function Tensor:fix_() end

--- To the nearest whole number, halves to the even one. The option `decimals` keeps so many digits behind the point; negative ones drop digits before it.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.round(x) end

--- To the nearest whole number, halves to the even one. The option `decimals` keeps so many digits behind the point; negative ones drop digits before it.
---@return kiln.Tensor
function Tensor:round() end

--- To the nearest whole number, halves to the even one. The option `decimals` keeps so many digits behind the point; negative ones drop digits before it.
---@return kiln.Tensor
function Tensor:round_() end

--- x without its whole part, x - trunc(x).
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.frac(x) end

--- x without its whole part, x - trunc(x).
---@return kiln.Tensor
function Tensor:frac() end

--- x without its whole part, x - trunc(x).
---@return kiln.Tensor
function Tensor:frac_() end

--- Square root.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.sqrt(x) end

--- Square root.
---@return kiln.Tensor
function Tensor:sqrt() end

--- Square root.
---@return kiln.Tensor
function Tensor:sqrt_() end

--- 1 / sqrt(x).
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.rsqrt(x) end

--- 1 / sqrt(x).
---@return kiln.Tensor
function Tensor:rsqrt() end

--- 1 / sqrt(x).
---@return kiln.Tensor
function Tensor:rsqrt_() end

--- e to the power x.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.exp(x) end

--- e to the power x.
---@return kiln.Tensor
function Tensor:exp() end

--- e to the power x.
---@return kiln.Tensor
function Tensor:exp_() end

--- 2 to the power x.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.exp2(x) end

--- 2 to the power x.
---@return kiln.Tensor
function Tensor:exp2() end

--- 2 to the power x.
---@return kiln.Tensor
function Tensor:exp2_() end

--- exp(x) - 1, exact for small x.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.expm1(x) end

--- exp(x) - 1, exact for small x.
---@return kiln.Tensor
function Tensor:expm1() end

--- exp(x) - 1, exact for small x.
---@return kiln.Tensor
function Tensor:expm1_() end

--- Natural logarithm.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.log(x) end

--- Natural logarithm.
---@return kiln.Tensor
function Tensor:log() end

--- Natural logarithm.
---@return kiln.Tensor
function Tensor:log_() end

--- Logarithm to base 2.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.log2(x) end

--- Logarithm to base 2.
---@return kiln.Tensor
function Tensor:log2() end

--- Logarithm to base 2.
---@return kiln.Tensor
function Tensor:log2_() end

--- Logarithm to base 10.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.log10(x) end

--- Logarithm to base 10.
---@return kiln.Tensor
function Tensor:log10() end

--- Logarithm to base 10.
---@return kiln.Tensor
function Tensor:log10_() end

--- log(1 + x), exact for small x.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.log1p(x) end

--- log(1 + x), exact for small x.
---@return kiln.Tensor
function Tensor:log1p() end

--- log(1 + x), exact for small x.
---@return kiln.Tensor
function Tensor:log1p_() end

--- x * log(y), 0 where x is 0 (unless y is NaN), broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.xlogy(x, y) end

--- x * log(y), 0 where x is 0 (unless y is NaN), broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:xlogy(y) end

--- x * log(y), 0 where x is 0 (unless y is NaN), broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:xlogy_(y) end

--- Degrees as radians.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.deg2rad(x) end

--- Degrees as radians.
---@return kiln.Tensor
function Tensor:deg2rad() end

--- Degrees as radians.
---@return kiln.Tensor
function Tensor:deg2rad_() end

--- Radians as degrees.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.rad2deg(x) end

--- Radians as degrees.
---@return kiln.Tensor
function Tensor:rad2deg() end

--- Radians as degrees.
---@return kiln.Tensor
function Tensor:rad2deg_() end

--- Sine of x in radians.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.sin(x) end

--- Sine of x in radians.
---@return kiln.Tensor
function Tensor:sin() end

--- Sine of x in radians.
---@return kiln.Tensor
function Tensor:sin_() end

--- Cosine of x in radians.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.cos(x) end

--- Cosine of x in radians.
---@return kiln.Tensor
function Tensor:cos() end

--- Cosine of x in radians.
---@return kiln.Tensor
function Tensor:cos_() end

--- Tangent of x in radians.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.tan(x) end

--- Tangent of x in radians.
---@return kiln.Tensor
function Tensor:tan() end

--- Tangent of x in radians.
---@return kiln.Tensor
function Tensor:tan_() end

--- Arc sine, in radians.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.asin(x) end

--- Arc sine, in radians.
---@return kiln.Tensor
function Tensor:asin() end

--- Arc sine, in radians.
---@return kiln.Tensor
function Tensor:asin_() end

--- Arc sine, in radians.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.arcsin(x) end

--- Arc sine, in radians.
---@return kiln.Tensor
function Tensor:arcsin() end

--- Arc sine, in radians.
---@return kiln.Tensor
function Tensor:arcsin_() end

--- Arc cosine, in radians.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.acos(x) end

--- Arc cosine, in radians.
---@return kiln.Tensor
function Tensor:acos() end

--- Arc cosine, in radians.
---@return kiln.Tensor
function Tensor:acos_() end

--- Arc cosine, in radians.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.arccos(x) end

--- Arc cosine, in radians.
---@return kiln.Tensor
function Tensor:arccos() end

--- Arc cosine, in radians.
---@return kiln.Tensor
function Tensor:arccos_() end

--- Arc tangent, in radians.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.atan(x) end

--- Arc tangent, in radians.
---@return kiln.Tensor
function Tensor:atan() end

--- Arc tangent, in radians.
---@return kiln.Tensor
function Tensor:atan_() end

--- Arc tangent, in radians.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.arctan(x) end

--- Arc tangent, in radians.
---@return kiln.Tensor
function Tensor:arctan() end

--- Arc tangent, in radians.
---@return kiln.Tensor
function Tensor:arctan_() end

--- Angle of the point (y, x), in radians: arc tangent of the first over the second by their signs.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.atan2(x, y) end

--- Angle of the point (y, x), in radians: arc tangent of the first over the second by their signs.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:atan2(y) end

--- Angle of the point (y, x), in radians: arc tangent of the first over the second by their signs.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:atan2_(y) end

--- Angle of the point (y, x), in radians: arc tangent of the first over the second by their signs.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.arctan2(x, y) end

--- Angle of the point (y, x), in radians: arc tangent of the first over the second by their signs.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:arctan2(y) end

--- Angle of the point (y, x), in radians: arc tangent of the first over the second by their signs.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:arctan2_(y) end

--- sqrt(x^2 + y^2) without overflow, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.hypot(x, y) end

--- sqrt(x^2 + y^2) without overflow, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:hypot(y) end

--- sqrt(x^2 + y^2) without overflow, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:hypot_(y) end

--- Hyperbolic sine.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.sinh(x) end

--- Hyperbolic sine.
---@return kiln.Tensor
function Tensor:sinh() end

--- Hyperbolic sine.
---@return kiln.Tensor
function Tensor:sinh_() end

--- Hyperbolic cosine.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.cosh(x) end

--- Hyperbolic cosine.
---@return kiln.Tensor
function Tensor:cosh() end

--- Hyperbolic cosine.
---@return kiln.Tensor
function Tensor:cosh_() end

--- Hyperbolic tangent.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.tanh(x) end

--- Hyperbolic tangent.
---@return kiln.Tensor
function Tensor:tanh() end

--- Hyperbolic tangent.
---@return kiln.Tensor
function Tensor:tanh_() end

--- Inverse of sinh.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.asinh(x) end

--- Inverse of sinh.
---@return kiln.Tensor
function Tensor:asinh() end

--- Inverse of sinh.
---@return kiln.Tensor
function Tensor:asinh_() end

--- Inverse of sinh.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.arcsinh(x) end

--- Inverse of sinh.
---@return kiln.Tensor
function Tensor:arcsinh() end

--- Inverse of sinh.
---@return kiln.Tensor
function Tensor:arcsinh_() end

--- Inverse of cosh.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.acosh(x) end

--- Inverse of cosh.
---@return kiln.Tensor
function Tensor:acosh() end

--- Inverse of cosh.
---@return kiln.Tensor
function Tensor:acosh_() end

--- Inverse of cosh.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.arccosh(x) end

--- Inverse of cosh.
---@return kiln.Tensor
function Tensor:arccosh() end

--- Inverse of cosh.
---@return kiln.Tensor
function Tensor:arccosh_() end

--- Inverse of tanh.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.atanh(x) end

--- Inverse of tanh.
---@return kiln.Tensor
function Tensor:atanh() end

--- Inverse of tanh.
---@return kiln.Tensor
function Tensor:atanh_() end

--- Inverse of tanh.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.arctanh(x) end

--- Inverse of tanh.
---@return kiln.Tensor
function Tensor:arctanh() end

--- Inverse of tanh.
---@return kiln.Tensor
function Tensor:arctanh_() end

--- log(exp(x) + exp(y)) without overflow, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.logaddexp(x, y) end

--- log(exp(x) + exp(y)) without overflow, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:logaddexp(y) end

--- log(exp(x) + exp(y)) without overflow, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:logaddexp_(y) end

--- log2(2^x + 2^y) without overflow, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.logaddexp2(x, y) end

--- log2(2^x + 2^y) without overflow, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:logaddexp2(y) end

--- log2(2^x + 2^y) without overflow, broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:logaddexp2_(y) end

--- x * log(1 + y), 0 where x is 0 (unless y is NaN), broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.xlog1py(x, y) end

--- x * log(1 + y), 0 where x is 0 (unless y is NaN), broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:xlog1py(y) end

--- x * log(1 + y), 0 where x is 0 (unless y is NaN), broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:xlog1py_(y) end

--- sin(pi x) / (pi x), 1 at 0.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.sinc(x) end

--- sin(pi x) / (pi x), 1 at 0.
---@return kiln.Tensor
function Tensor:sinc() end

--- sin(pi x) / (pi x), 1 at 0.
---@return kiln.Tensor
function Tensor:sinc_() end

--- The modified Bessel function of the first kind of order 0.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.i0(x) end

--- The modified Bessel function of the first kind of order 0.
---@return kiln.Tensor
function Tensor:i0() end

--- The modified Bessel function of the first kind of order 0.
---@return kiln.Tensor
function Tensor:i0_() end

--- The modified Bessel function of the first kind of order 0.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.modified_bessel_i0(x) end

--- The modified Bessel function of the first kind of order 0.
---@return kiln.Tensor
function Tensor:modified_bessel_i0() end

--- The modified Bessel function of the first kind of order 0.
---@return kiln.Tensor
function Tensor:modified_bessel_i0_() end

--- The modified Bessel function of the first kind of order 1.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.i1(x) end

--- The modified Bessel function of the first kind of order 1.
---@return kiln.Tensor
function Tensor:i1() end

--- The modified Bessel function of the first kind of order 1.
---@return kiln.Tensor
function Tensor:i1_() end

--- The modified Bessel function of the first kind of order 1.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.modified_bessel_i1(x) end

--- The modified Bessel function of the first kind of order 1.
---@return kiln.Tensor
function Tensor:modified_bessel_i1() end

--- The modified Bessel function of the first kind of order 1.
---@return kiln.Tensor
function Tensor:modified_bessel_i1_() end

--- exp(-|x|) * i0(x), without overflow.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.i0e(x) end

--- exp(-|x|) * i0(x), without overflow.
---@return kiln.Tensor
function Tensor:i0e() end

--- exp(-|x|) * i0(x), without overflow.
---@return kiln.Tensor
function Tensor:i0e_() end

--- exp(-|x|) * i1(x), without overflow.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.i1e(x) end

--- exp(-|x|) * i1(x), without overflow.
---@return kiln.Tensor
function Tensor:i1e() end

--- exp(-|x|) * i1(x), without overflow.
---@return kiln.Tensor
function Tensor:i1e_() end

--- The normal distribution function, 0.5 (1 + erf(x / sqrt 2)).
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.ndtr(x) end

--- The normal distribution function, 0.5 (1 + erf(x / sqrt 2)).
---@return kiln.Tensor
function Tensor:ndtr() end

--- The normal distribution function, 0.5 (1 + erf(x / sqrt 2)).
---@return kiln.Tensor
function Tensor:ndtr_() end

--- log(ndtr(x)), also where ndtr is too small for a number.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.log_ndtr(x) end

--- log(ndtr(x)), also where ndtr is too small for a number.
---@return kiln.Tensor
function Tensor:log_ndtr() end

--- log(ndtr(x)), also where ndtr is too small for a number.
---@return kiln.Tensor
function Tensor:log_ndtr_() end

--- Inverse of ndtr.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.ndtri(x) end

--- Inverse of ndtr.
---@return kiln.Tensor
function Tensor:ndtri() end

--- Inverse of ndtr.
---@return kiln.Tensor
function Tensor:ndtri_() end

--- -x log(x), the entropy of x: 0 at 0, minus infinity below.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.entr(x) end

--- -x log(x), the entropy of x: 0 at 0, minus infinity below.
---@return kiln.Tensor
function Tensor:entr() end

--- -x log(x), the entropy of x: 0 at 0, minus infinity below.
---@return kiln.Tensor
function Tensor:entr_() end

--- 1 / (1 + exp(-x)).
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.sigmoid(x) end

--- 1 / (1 + exp(-x)).
---@return kiln.Tensor
function Tensor:sigmoid() end

--- 1 / (1 + exp(-x)).
---@return kiln.Tensor
function Tensor:sigmoid_() end

--- 1 / (1 + exp(-x)).
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.expit(x) end

--- 1 / (1 + exp(-x)).
---@return kiln.Tensor
function Tensor:expit() end

--- 1 / (1 + exp(-x)).
---@return kiln.Tensor
function Tensor:expit_() end

--- log(x / (1 - x)), the inverse of sigmoid, of x held between eps and 1 - eps.
---@param x kiln.Tensor|number
---@param eps? number
---@return kiln.Tensor
function kiln.logit(x, eps) end

--- log(x / (1 - x)), the inverse of sigmoid, of x held between eps and 1 - eps.
---@param eps? number
---@return kiln.Tensor
function Tensor:logit(eps) end

--- log(x / (1 - x)), the inverse of sigmoid, of x held between eps and 1 - eps.
---@param eps? number
---@return kiln.Tensor
function Tensor:logit_(eps) end

--- Gauss error function.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.erf(x) end

--- Gauss error function.
---@return kiln.Tensor
function Tensor:erf() end

--- Gauss error function.
---@return kiln.Tensor
function Tensor:erf_() end

--- 1 - erf(x), exact for large x.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.erfc(x) end

--- 1 - erf(x), exact for large x.
---@return kiln.Tensor
function Tensor:erfc() end

--- 1 - erf(x), exact for large x.
---@return kiln.Tensor
function Tensor:erfc_() end

--- exp(x^2) * erfc(x), without overflow for large x.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.erfcx(x) end

--- exp(x^2) * erfc(x), without overflow for large x.
---@return kiln.Tensor
function Tensor:erfcx() end

--- exp(x^2) * erfc(x), without overflow for large x.
---@return kiln.Tensor
function Tensor:erfcx_() end

--- Inverse of erf.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.erfinv(x) end

--- Inverse of erf.
---@return kiln.Tensor
function Tensor:erfinv() end

--- Inverse of erf.
---@return kiln.Tensor
function Tensor:erfinv_() end

--- Logarithm of the absolute value of the gamma function.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.lgamma(x) end

--- Logarithm of the absolute value of the gamma function.
---@return kiln.Tensor
function Tensor:lgamma() end

--- Logarithm of the absolute value of the gamma function.
---@return kiln.Tensor
function Tensor:lgamma_() end

--- Logarithm of the absolute value of the gamma function.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.gammaln(x) end

--- Logarithm of the absolute value of the gamma function.
---@return kiln.Tensor
function Tensor:gammaln() end

--- Logarithm of the absolute value of the gamma function.
---@return kiln.Tensor
function Tensor:gammaln_() end

--- Derivative of lgamma.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.digamma(x) end

--- Derivative of lgamma.
---@return kiln.Tensor
function Tensor:digamma() end

--- Derivative of lgamma.
---@return kiln.Tensor
function Tensor:digamma_() end

--- Derivative of lgamma.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.psi(x) end

--- Derivative of lgamma.
---@return kiln.Tensor
function Tensor:psi() end

--- Derivative of lgamma.
---@return kiln.Tensor
function Tensor:psi_() end

--- Derivative of digamma of the given whole order, which may be a tensor.
---@param x kiln.Tensor|number
---@param order kiln.Tensor|number
---@return kiln.Tensor
function kiln.polygamma_of(x, order) end

--- Derivative of digamma of the given whole order, which may be a tensor.
---@param order kiln.Tensor|number
---@return kiln.Tensor
function Tensor:polygamma_of(order) end

--- Derivative of digamma of the given whole order, which may be a tensor.
---@param order kiln.Tensor|number
---@return kiln.Tensor
function Tensor:polygamma_of_(order) end

--- Derivative of digamma of order n at x; as a function n may come first.
---@param x kiln.Tensor|number
---@param n? any
---@return kiln.Tensor
function kiln.polygamma(x, n) end

--- Derivative of digamma of order n at x; as a function n may come first.
---@param n? any
---@return kiln.Tensor
function Tensor:polygamma(n) end

--- Derivative of digamma of order n at x; as a function n may come first.
---@param n? any
---@return kiln.Tensor
function Tensor:polygamma_(n) end

--- Logarithm of the multivariate gamma function of p dims, for x above (p - 1) / 2.
---@param x kiln.Tensor|number
---@param p integer
---@return kiln.Tensor
function kiln.mvlgamma(x, p) end

--- Logarithm of the multivariate gamma function of p dims, for x above (p - 1) / 2.
---@param p integer
---@return kiln.Tensor
function Tensor:mvlgamma(p) end

--- Logarithm of the multivariate gamma function of p dims, for x above (p - 1) / 2.
---@param p integer
---@return kiln.Tensor
function Tensor:mvlgamma_(p) end

--- Logarithm of the multivariate gamma function of p dims, for x above (p - 1) / 2.
---@param x kiln.Tensor|number
---@param p integer
---@return kiln.Tensor
function kiln.multigammaln(x, p) end

--- Logarithm of the multivariate gamma function of p dims, for x above (p - 1) / 2.
---@param p integer
---@return kiln.Tensor
function Tensor:multigammaln(p) end

--- Logarithm of the multivariate gamma function of p dims, for x above (p - 1) / 2.
---@param p integer
---@return kiln.Tensor
function Tensor:multigammaln_(p) end

--- The share of the gamma function of a that is below x, broadcast; NaN where a or x is negative. The gradient of a is not defined.
---@param a kiln.Tensor|number
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.igamma(a, x) end

--- The share of the gamma function of a that is below x, broadcast; NaN where a or x is negative. The gradient of a is not defined.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function Tensor:igamma(x) end

--- The share of the gamma function of a that is below x, broadcast; NaN where a or x is negative. The gradient of a is not defined.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function Tensor:igamma_(x) end

--- The share of the gamma function of a that is below x, broadcast; NaN where a or x is negative. The gradient of a is not defined.
---@param a kiln.Tensor|number
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.gammainc(a, x) end

--- The share of the gamma function of a that is below x, broadcast; NaN where a or x is negative. The gradient of a is not defined.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function Tensor:gammainc(x) end

--- The share of the gamma function of a that is below x, broadcast; NaN where a or x is negative. The gradient of a is not defined.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function Tensor:gammainc_(x) end

--- The share of the gamma function of a that is above x, broadcast; NaN where a or x is negative. The gradient of a is not defined.
---@param a kiln.Tensor|number
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.igammac(a, x) end

--- The share of the gamma function of a that is above x, broadcast; NaN where a or x is negative. The gradient of a is not defined.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function Tensor:igammac(x) end

--- The share of the gamma function of a that is above x, broadcast; NaN where a or x is negative. The gradient of a is not defined.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function Tensor:igammac_(x) end

--- The share of the gamma function of a that is above x, broadcast; NaN where a or x is negative. The gradient of a is not defined.
---@param a kiln.Tensor|number
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.gammaincc(a, x) end

--- The share of the gamma function of a that is above x, broadcast; NaN where a or x is negative. The gradient of a is not defined.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function Tensor:gammaincc(x) end

--- The share of the gamma function of a that is above x, broadcast; NaN where a or x is negative. The gradient of a is not defined.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function Tensor:gammaincc_(x) end

--- The share of the beta function of a and b that is below x in [0, 1], broadcast; NaN where a or b is not above 0. The gradients of a and b are not defined.
---@param a kiln.Tensor|number
---@param b kiln.Tensor|number
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.betainc(a, b, x) end

--- The share of the beta function of a and b that is below x in [0, 1], broadcast; NaN where a or b is not above 0. The gradients of a and b are not defined.
---@param b kiln.Tensor|number
---@param x kiln.Tensor|number
---@return kiln.Tensor
function Tensor:betainc(b, x) end

--- The share of the beta function of a and b that is below x in [0, 1], broadcast; NaN where a or b is not above 0. The gradients of a and b are not defined.
---@param b kiln.Tensor|number
---@param x kiln.Tensor|number
---@return kiln.Tensor
function Tensor:betainc_(b, x) end

--- max(x, 0); NaN stays NaN.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.relu(x) end

--- max(x, 0); NaN stays NaN.
---@return kiln.Tensor
function Tensor:relu() end

--- max(x, 0); NaN stays NaN.
---@return kiln.Tensor
function Tensor:relu_() end

--- x, but not below 0 and not above 6.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.relu6(x) end

--- x, but not below 0 and not above 6.
---@return kiln.Tensor
function Tensor:relu6() end

--- x, but not below 0 and not above 6.
---@return kiln.Tensor
function Tensor:relu6_() end

--- x, but not below min_val and not above max_val.
---@param x kiln.Tensor|number
---@param min_val? number
---@param max_val? number
---@return kiln.Tensor
function kiln.hardtanh(x, min_val, max_val) end

--- x, but not below min_val and not above max_val.
---@param min_val? number
---@param max_val? number
---@return kiln.Tensor
function Tensor:hardtanh(min_val, max_val) end

--- x, but not below min_val and not above max_val.
---@param min_val? number
---@param max_val? number
---@return kiln.Tensor
function Tensor:hardtanh_(min_val, max_val) end

--- x where it is above the threshold, else value.
---@param x kiln.Tensor|number
---@param threshold number
---@param value number
---@return kiln.Tensor
function kiln.threshold(x, threshold, value) end

--- x where it is above the threshold, else value.
---@param threshold number
---@param value number
---@return kiln.Tensor
function Tensor:threshold(threshold, value) end

--- x where it is above the threshold, else value.
---@param threshold number
---@param value number
---@return kiln.Tensor
function Tensor:threshold_(threshold, value) end

--- x where it is above 0, else negative_slope * x.
---@param x kiln.Tensor|number
---@param negative_slope? number
---@return kiln.Tensor
function kiln.leaky_relu(x, negative_slope) end

--- x where it is above 0, else negative_slope * x.
---@param negative_slope? number
---@return kiln.Tensor
function Tensor:leaky_relu(negative_slope) end

--- x where it is above 0, else negative_slope * x.
---@param negative_slope? number
---@return kiln.Tensor
function Tensor:leaky_relu_(negative_slope) end

--- x where it is above 0, else slope * x, broadcast: the prelu of one element.
---@param x kiln.Tensor|number
---@param slope kiln.Tensor|number
---@return kiln.Tensor
function kiln.scaled_relu(x, slope) end

--- x where it is above 0, else slope * x, broadcast: the prelu of one element.
---@param slope kiln.Tensor|number
---@return kiln.Tensor
function Tensor:scaled_relu(slope) end

--- x where it is above 0, else slope * x, broadcast: the prelu of one element.
---@param slope kiln.Tensor|number
---@return kiln.Tensor
function Tensor:scaled_relu_(slope) end

--- x where it is above 0, else weight * x; one weight for all, or one for each size of dim 2.
---@param x kiln.Tensor|number
---@param weight kiln.Tensor|number
---@return kiln.Tensor
function kiln.prelu(x, weight) end

--- x where it is above 0, else weight * x; one weight for all, or one for each size of dim 2.
---@param weight kiln.Tensor|number
---@return kiln.Tensor
function Tensor:prelu(weight) end

--- leaky_relu whose slope is random in [lower, upper) for each element in training, else their mean.
---@param x kiln.Tensor|number
---@param lower? number
---@param upper? number
---@param training? boolean
---@return kiln.Tensor
function kiln.rrelu(x, lower, upper, training) end

--- leaky_relu whose slope is random in [lower, upper) for each element in training, else their mean.
---@param lower? number
---@param upper? number
---@param training? boolean
---@return kiln.Tensor
function Tensor:rrelu(lower, upper, training) end

--- x where it is above 0, else alpha * (exp(x) - 1).
---@param x kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function kiln.elu(x, alpha) end

--- x where it is above 0, else alpha * (exp(x) - 1).
---@param alpha? number
---@return kiln.Tensor
function Tensor:elu(alpha) end

--- x where it is above 0, else alpha * (exp(x) - 1).
---@param alpha? number
---@return kiln.Tensor
function Tensor:elu_(alpha) end

--- x where it is above 0, else alpha * (exp(x / alpha) - 1).
---@param x kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function kiln.celu(x, alpha) end

--- x where it is above 0, else alpha * (exp(x / alpha) - 1).
---@param alpha? number
---@return kiln.Tensor
function Tensor:celu(alpha) end

--- x where it is above 0, else alpha * (exp(x / alpha) - 1).
---@param alpha? number
---@return kiln.Tensor
function Tensor:celu_(alpha) end

--- elu scaled so that mean 0 and variance 1 keep themselves through layers.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.selu(x) end

--- elu scaled so that mean 0 and variance 1 keep themselves through layers.
---@return kiln.Tensor
function Tensor:selu() end

--- elu scaled so that mean 0 and variance 1 keep themselves through layers.
---@return kiln.Tensor
function Tensor:selu_() end

--- log(sigmoid(x)), without overflow.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.logsigmoid(x) end

--- log(sigmoid(x)), without overflow.
---@return kiln.Tensor
function Tensor:logsigmoid() end

--- log(sigmoid(x)), without overflow.
---@return kiln.Tensor
function Tensor:logsigmoid_() end

--- log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold.
---@param x kiln.Tensor|number
---@param beta? number
---@param threshold? number
---@return kiln.Tensor
function kiln.softplus(x, beta, threshold) end

--- log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold.
---@param beta? number
---@param threshold? number
---@return kiln.Tensor
function Tensor:softplus(beta, threshold) end

--- log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold.
---@param beta? number
---@param threshold? number
---@return kiln.Tensor
function Tensor:softplus_(beta, threshold) end

--- x moved toward 0 by lambd, 0 where it would cross.
---@param x kiln.Tensor|number
---@param lambd? number
---@return kiln.Tensor
function kiln.softshrink(x, lambd) end

--- x moved toward 0 by lambd, 0 where it would cross.
---@param lambd? number
---@return kiln.Tensor
function Tensor:softshrink(lambd) end

--- x moved toward 0 by lambd, 0 where it would cross.
---@param lambd? number
---@return kiln.Tensor
function Tensor:softshrink_(lambd) end

--- x where it is further than lambd from 0, else 0.
---@param x kiln.Tensor|number
---@param lambd? number
---@return kiln.Tensor
function kiln.hardshrink(x, lambd) end

--- x where it is further than lambd from 0, else 0.
---@param lambd? number
---@return kiln.Tensor
function Tensor:hardshrink(lambd) end

--- x where it is further than lambd from 0, else 0.
---@param lambd? number
---@return kiln.Tensor
function Tensor:hardshrink_(lambd) end

--- x / (1 + |x|).
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.softsign(x) end

--- x / (1 + |x|).
---@return kiln.Tensor
function Tensor:softsign() end

--- x / (1 + |x|).
---@return kiln.Tensor
function Tensor:softsign_() end

--- x - tanh(x).
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.tanhshrink(x) end

--- x - tanh(x).
---@return kiln.Tensor
function Tensor:tanhshrink() end

--- x - tanh(x).
---@return kiln.Tensor
function Tensor:tanhshrink_() end

--- x * sigmoid(x).
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.silu(x) end

--- x * sigmoid(x).
---@return kiln.Tensor
function Tensor:silu() end

--- x * sigmoid(x).
---@return kiln.Tensor
function Tensor:silu_() end

--- x * tanh(softplus(x)).
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.mish(x) end

--- x * tanh(softplus(x)).
---@return kiln.Tensor
function Tensor:mish() end

--- x * tanh(softplus(x)).
---@return kiln.Tensor
function Tensor:mish_() end

--- x / 6 + 1/2, but not below 0 and not above 1.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.hardsigmoid(x) end

--- x / 6 + 1/2, but not below 0 and not above 1.
---@return kiln.Tensor
function Tensor:hardsigmoid() end

--- x / 6 + 1/2, but not below 0 and not above 1.
---@return kiln.Tensor
function Tensor:hardsigmoid_() end

--- x * hardsigmoid(x).
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.hardswish(x) end

--- x * hardsigmoid(x).
---@return kiln.Tensor
function Tensor:hardswish() end

--- x * hardsigmoid(x).
---@return kiln.Tensor
function Tensor:hardswish_() end

--- x times the normal distribution function of x, 0.5 x (1 + erf(x / sqrt 2)).
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.gelu_erf(x) end

--- x times the normal distribution function of x, 0.5 x (1 + erf(x / sqrt 2)).
---@return kiln.Tensor
function Tensor:gelu_erf() end

--- x times the normal distribution function of x, 0.5 x (1 + erf(x / sqrt 2)).
---@return kiln.Tensor
function Tensor:gelu_erf_() end

--- gelu with erf approximated by a tanh.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.gelu_tanh(x) end

--- gelu with erf approximated by a tanh.
---@return kiln.Tensor
function Tensor:gelu_tanh() end

--- gelu with erf approximated by a tanh.
---@return kiln.Tensor
function Tensor:gelu_tanh_() end

--- Gaussian error linear unit: x times the normal distribution function of x, exactly or by a tanh.
---@param x kiln.Tensor|number
---@param approximate? 'none'|'tanh'
---@return kiln.Tensor
function kiln.gelu(x, approximate) end

--- Gaussian error linear unit: x times the normal distribution function of x, exactly or by a tanh.
---@param approximate? 'none'|'tanh'
---@return kiln.Tensor
function Tensor:gelu(approximate) end

--- The first half of x along dim times the sigmoid of the second half.
---@param x kiln.Tensor|number
---@param dim? integer
---@return kiln.Tensor
function kiln.glu(x, dim) end

--- The first half of x along dim times the sigmoid of the second half.
---@param dim? integer
---@return kiln.Tensor
function Tensor:glu(dim) end

--- x equals y.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.eq(x, y) end

--- x equals y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:eq(y) end

--- x equals y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:eq_(y) end

--- x differs from y.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.ne(x, y) end

--- x differs from y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:ne(y) end

--- x differs from y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:ne_(y) end

--- x differs from y.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.not_equal(x, y) end

--- x differs from y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:not_equal(y) end

--- x differs from y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:not_equal_(y) end

--- x is less than y.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.lt(x, y) end

--- x is less than y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:lt(y) end

--- x is less than y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:lt_(y) end

--- x is less than y.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.less(x, y) end

--- x is less than y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:less(y) end

--- x is less than y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:less_(y) end

--- x is at most y.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.le(x, y) end

--- x is at most y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:le(y) end

--- x is at most y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:le_(y) end

--- x is at most y.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.less_equal(x, y) end

--- x is at most y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:less_equal(y) end

--- x is at most y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:less_equal_(y) end

--- x is greater than y.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.gt(x, y) end

--- x is greater than y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:gt(y) end

--- x is greater than y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:gt_(y) end

--- x is greater than y.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.greater(x, y) end

--- x is greater than y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:greater(y) end

--- x is greater than y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:greater_(y) end

--- x is at least y.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.ge(x, y) end

--- x is at least y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:ge(y) end

--- x is at least y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:ge_(y) end

--- x is at least y.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.greater_equal(x, y) end

--- x is at least y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:greater_equal(y) end

--- x is at least y.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:greater_equal_(y) end

--- x is not a number.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.isnan(x) end

--- x is not a number.
---@return kiln.Tensor
function Tensor:isnan() end

--- x is not a number.
---@return kiln.Tensor
function Tensor:isnan_() end

--- x is infinite, of either sign.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.isinf(x) end

--- x is infinite, of either sign.
---@return kiln.Tensor
function Tensor:isinf() end

--- x is infinite, of either sign.
---@return kiln.Tensor
function Tensor:isinf_() end

--- x is neither infinite nor NaN.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.isfinite(x) end

--- x is neither infinite nor NaN.
---@return kiln.Tensor
function Tensor:isfinite() end

--- x is neither infinite nor NaN.
---@return kiln.Tensor
function Tensor:isfinite_() end

--- x has a minus sign, -0 included.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.signbit(x) end

--- x has a minus sign, -0 included.
---@return kiln.Tensor
function Tensor:signbit() end

--- x has a minus sign, -0 included.
---@return kiln.Tensor
function Tensor:signbit_() end

--- x is infinite.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.isposinf(x) end

--- x is infinite.
---@return kiln.Tensor
function Tensor:isposinf() end

--- x is minus infinity.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.isneginf(x) end

--- x is minus infinity.
---@return kiln.Tensor
function Tensor:isneginf() end

--- Whether each element of x is one of y (is not, if invert).
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param invert? boolean
---@return kiln.Tensor
function kiln.isin(x, y, invert) end

--- Whether each element of x is one of y (is not, if invert).
---@param y kiln.Tensor|number
---@param invert? boolean
---@return kiln.Tensor
function Tensor:isin(y, invert) end

--- Both differ from 0.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.logical_and(x, y) end

--- Both differ from 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:logical_and(y) end

--- Both differ from 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:logical_and_(y) end

--- One or both differ from 0.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.logical_or(x, y) end

--- One or both differ from 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:logical_or(y) end

--- One or both differ from 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:logical_or_(y) end

--- Just one of the two differs from 0.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.logical_xor(x, y) end

--- Just one of the two differs from 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:logical_xor(y) end

--- Just one of the two differs from 0.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:logical_xor_(y) end

--- x is 0.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.logical_not(x) end

--- x is 0.
---@return kiln.Tensor
function Tensor:logical_not() end

--- x is 0.
---@return kiln.Tensor
function Tensor:logical_not_() end

--- |x - y| <= atol + rtol * |y|, or both are equal.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param rtol number
---@param atol number
---@return kiln.Tensor
function kiln.within(x, y, rtol, atol) end

--- |x - y| <= atol + rtol * |y|, or both are equal.
---@param y kiln.Tensor|number
---@param rtol number
---@param atol number
---@return kiln.Tensor
function Tensor:within(y, rtol, atol) end

--- |x - y| <= atol + rtol * |y|, or both are equal.
---@param y kiln.Tensor|number
---@param rtol number
---@param atol number
---@return kiln.Tensor
function Tensor:within_(y, rtol, atol) end

--- |x - y| <= atol + rtol * |y|, or both are equal; NaN equals NaN if equal_nan.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param rtol? number
---@param atol? number
---@param equal_nan? boolean
---@return kiln.Tensor
function kiln.isclose(x, y, rtol, atol, equal_nan) end

--- |x - y| <= atol + rtol * |y|, or both are equal; NaN equals NaN if equal_nan.
---@param y kiln.Tensor|number
---@param rtol? number
---@param atol? number
---@param equal_nan? boolean
---@return kiln.Tensor
function Tensor:isclose(y, rtol, atol, equal_nan) end

--- Whether isclose holds for all elements: a Lua boolean.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param rtol? number
---@param atol? number
---@param equal_nan? boolean
---@return kiln.Tensor
function kiln.allclose(x, y, rtol, atol, equal_nan) end

--- Whether isclose holds for all elements: a Lua boolean.
---@param y kiln.Tensor|number
---@param rtol? number
---@param atol? number
---@param equal_nan? boolean
---@return kiln.Tensor
function Tensor:allclose(y, rtol, atol, equal_nan) end

--- Whether x and y have the same shape and the same elements: a Lua boolean.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.equal(x, y) end

--- Whether x and y have the same shape and the same elements: a Lua boolean.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:equal(y) end

--- Sum over dims (all without); integers sum as int64. The option `dtype` says what x is cast to first.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.sum(x, dims, keepdim) end

--- Sum over dims (all without); integers sum as int64. The option `dtype` says what x is cast to first.
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:sum(dims, keepdim) end

--- Mean over dims (all without). The option `dtype` says what x is cast to first.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.mean(x, dims, keepdim) end

--- Mean over dims (all without). The option `dtype` says what x is cast to first.
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:mean(dims, keepdim) end

--- Product over dims (all without); integers multiply as int64. The option `dtype` says what x is cast to first.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.prod(x, dims, keepdim) end

--- Product over dims (all without); integers multiply as int64. The option `dtype` says what x is cast to first.
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:prod(dims, keepdim) end

--- Largest element over dims (all without); NaN if there is one. Equal ones, and NaNs, share the gradient.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.amax(x, dims, keepdim) end

--- Largest element over dims (all without); NaN if there is one. Equal ones, and NaNs, share the gradient.
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:amax(dims, keepdim) end

--- Smallest element over dims (all without); NaN if there is one. Equal ones, and NaNs, share the gradient.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.amin(x, dims, keepdim) end

--- Smallest element over dims (all without); NaN if there is one. Equal ones, and NaNs, share the gradient.
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:amin(dims, keepdim) end

--- Whether all elements over dims (all without) differ from 0.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.all(x, dims, keepdim) end

--- Whether all elements over dims (all without) differ from 0.
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:all(dims, keepdim) end

--- Whether any element over dims (all without) differs from 0.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.any(x, dims, keepdim) end

--- Whether any element over dims (all without) differs from 0.
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:any(dims, keepdim) end

--- How many elements over dims (all without) differ from 0.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.count_nonzero(x, dims, keepdim) end

--- How many elements over dims (all without) differ from 0.
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:count_nonzero(dims, keepdim) end

--- (sum of |x|^p)^(1/p) over dims (all without); the largest |x| for p = inf, the smallest for -inf, how many differ from 0 for p = 0. p may be 'fro', which is 2, or 'nuc': the sum of the singular values of matrices.
---@param x kiln.Tensor|number
---@param p? number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.norm(x, p, dims, keepdim) end

--- (sum of |x|^p)^(1/p) over dims (all without); the largest |x| for p = inf, the smallest for -inf, how many differ from 0 for p = 0. p may be 'fro', which is 2, or 'nuc': the sum of the singular values of matrices.
---@param p? number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:norm(p, dims, keepdim) end

--- (sum of |x|^p)^(1/p) over dims (all without); the largest |x| for p = inf, the smallest for -inf, how many differ from 0 for p = 0. p may be 'fro', which is 2, or 'nuc': the sum of the singular values of matrices.
---@param x kiln.Tensor|number
---@param p? number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.vector_norm(x, p, dims, keepdim) end

--- (sum of |x|^p)^(1/p) over dims (all without); the largest |x| for p = inf, the smallest for -inf, how many differ from 0 for p = 0. p may be 'fro', which is 2, or 'nuc': the sum of the singular values of matrices.
---@param p? number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:vector_norm(p, dims, keepdim) end

--- Variance over dims (all without): squared distances to the mean over n - 1, over n if not unbiased, over n - correction, which may be a fraction, if that is given.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param unbiased? boolean
---@param keepdim? boolean
---@param correction? number
---@return kiln.Tensor
function kiln.var(x, dims, unbiased, keepdim, correction) end

--- Variance over dims (all without): squared distances to the mean over n - 1, over n if not unbiased, over n - correction, which may be a fraction, if that is given.
---@param dims? integer[]|integer
---@param unbiased? boolean
---@param keepdim? boolean
---@param correction? number
---@return kiln.Tensor
function Tensor:var(dims, unbiased, keepdim, correction) end

--- Square root of var.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param unbiased? boolean
---@param keepdim? boolean
---@param correction? number
---@return kiln.Tensor
function kiln.std(x, dims, unbiased, keepdim, correction) end

--- Square root of var.
---@param dims? integer[]|integer
---@param unbiased? boolean
---@param keepdim? boolean
---@param correction? number
---@return kiln.Tensor
function Tensor:std(dims, unbiased, keepdim, correction) end

--- Position (from 1) of the largest element along dim, of equal ones or NaNs the first; without dim, in x read row by row.
---@param x kiln.Tensor|number
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.argmax(x, dim, keepdim) end

--- Position (from 1) of the largest element along dim, of equal ones or NaNs the first; without dim, in x read row by row.
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:argmax(dim, keepdim) end

--- Position (from 1) of the smallest element along dim, of equal ones or NaNs the first; without dim, in x read row by row.
---@param x kiln.Tensor|number
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.argmin(x, dim, keepdim) end

--- Position (from 1) of the smallest element along dim, of equal ones or NaNs the first; without dim, in x read row by row.
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:argmin(dim, keepdim) end

--- Largest element along dim, and its position (from 1).
---@param x kiln.Tensor|number
---@param dim integer
---@param keepdim? boolean
---@return kiln.Tensor, kiln.Tensor
function kiln.max_along(x, dim, keepdim) end

--- Largest element along dim, and its position (from 1).
---@param dim integer
---@param keepdim? boolean
---@return kiln.Tensor, kiln.Tensor
function Tensor:max_along(dim, keepdim) end

--- Smallest element along dim, and its position (from 1).
---@param x kiln.Tensor|number
---@param dim integer
---@param keepdim? boolean
---@return kiln.Tensor, kiln.Tensor
function kiln.min_along(x, dim, keepdim) end

--- Smallest element along dim, and its position (from 1).
---@param dim integer
---@param keepdim? boolean
---@return kiln.Tensor, kiln.Tensor
function Tensor:min_along(dim, keepdim) end

--- The largest element of x; with a dim, the one along it and its position (from 1); with a tensor or a fraction, the larger of each pair.
---@param x kiln.Tensor|number
---@param dim? any
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.max(x, dim, keepdim) end

--- The largest element of x; with a dim, the one along it and its position (from 1); with a tensor or a fraction, the larger of each pair.
---@param dim? any
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:max(dim, keepdim) end

--- The smallest element of x; with a dim, the one along it and its position (from 1); with a tensor or a fraction, the smaller of each pair.
---@param x kiln.Tensor|number
---@param dim? any
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.min(x, dim, keepdim) end

--- The smallest element of x; with a dim, the one along it and its position (from 1); with a tensor or a fraction, the smaller of each pair.
---@param dim? any
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:min(dim, keepdim) end

--- amin and amax of x, along dim or of all elements.
---@param x kiln.Tensor|number
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.aminmax(x, dim, keepdim) end

--- amin and amax of x, along dim or of all elements.
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:aminmax(dim, keepdim) end

--- norm(x - y, p).
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param p? number
---@return kiln.Tensor
function kiln.dist(x, y, p) end

--- norm(x - y, p).
---@param y kiln.Tensor|number
---@param p? number
---@return kiln.Tensor
function Tensor:dist(y, p) end

--- x with each slice along dim scaled down to p-norm maxnorm where its norm is larger.
---@param x kiln.Tensor|number
---@param p number
---@param dim integer
---@param maxnorm number
---@return kiln.Tensor
function kiln.renorm(x, p, dim, maxnorm) end

--- x with each slice along dim scaled down to p-norm maxnorm where its norm is larger.
---@param p number
---@param dim integer
---@param maxnorm number
---@return kiln.Tensor
function Tensor:renorm(p, dim, maxnorm) end

--- x with each slice along dim scaled down to p-norm maxnorm where its norm is larger.
---@param p number
---@param dim integer
---@param maxnorm number
---@return kiln.Tensor
function Tensor:renorm_(p, dim, maxnorm) end

--- Running sum along dim, from its end if reverse; integers sum as int64. The option `dtype` says what x is cast to first.
---@param x kiln.Tensor|number
---@param dim integer
---@param reverse? boolean
---@return kiln.Tensor
function kiln.cumsum(x, dim, reverse) end

--- Running sum along dim, from its end if reverse; integers sum as int64. The option `dtype` says what x is cast to first.
---@param dim integer
---@param reverse? boolean
---@return kiln.Tensor
function Tensor:cumsum(dim, reverse) end

--- Running sum along dim, from its end if reverse; integers sum as int64. The option `dtype` says what x is cast to first.
---@param dim integer
---@param reverse? boolean
---@return kiln.Tensor
function Tensor:cumsum_(dim, reverse) end

--- Running product along dim, from its end if reverse; integers multiply as int64. The option `dtype` says what x is cast to first.
---@param x kiln.Tensor|number
---@param dim integer
---@param reverse? boolean
---@return kiln.Tensor
function kiln.cumprod(x, dim, reverse) end

--- Running product along dim, from its end if reverse; integers multiply as int64. The option `dtype` says what x is cast to first.
---@param dim integer
---@param reverse? boolean
---@return kiln.Tensor
function Tensor:cumprod(dim, reverse) end

--- Running product along dim, from its end if reverse; integers multiply as int64. The option `dtype` says what x is cast to first.
---@param dim integer
---@param reverse? boolean
---@return kiln.Tensor
function Tensor:cumprod_(dim, reverse) end

--- Logarithm of the running sum of exponentials along dim.
---@param x kiln.Tensor|number
---@param dim integer
---@param reverse? boolean
---@return kiln.Tensor
function kiln.logcumsumexp(x, dim, reverse) end

--- Logarithm of the running sum of exponentials along dim.
---@param dim integer
---@param reverse? boolean
---@return kiln.Tensor
function Tensor:logcumsumexp(dim, reverse) end

--- The largest so far along dim, and its position (of equals the last).
---@param x kiln.Tensor|number
---@param dim integer
---@return kiln.Tensor, kiln.Tensor
function kiln.cummax(x, dim) end

--- The largest so far along dim, and its position (of equals the last).
---@param dim integer
---@return kiln.Tensor, kiln.Tensor
function Tensor:cummax(dim) end

--- The smallest so far along dim, and its position (of equals the last).
---@param x kiln.Tensor|number
---@param dim integer
---@return kiln.Tensor, kiln.Tensor
function kiln.cummin(x, dim) end

--- The smallest so far along dim, and its position (of equals the last).
---@param dim integer
---@return kiln.Tensor, kiln.Tensor
function Tensor:cummin(dim) end

--- Differences of neighbours along dim, n times; prepend and append are joined to x first.
---@param x kiln.Tensor|number
---@param n? integer
---@param dim? integer
---@param prepend? kiln.Tensor|number
---@param append? kiln.Tensor|number
---@return kiln.Tensor
function kiln.diff(x, n, dim, prepend, append) end

--- Differences of neighbours along dim, n times; prepend and append are joined to x first.
---@param n? integer
---@param dim? integer
---@param prepend? kiln.Tensor|number
---@param append? kiln.Tensor|number
---@return kiln.Tensor
function Tensor:diff(n, dim, prepend, append) end

--- A view of x's storage with any size, stride and offset (in elements). Leave the base_ arguments out: the core fills them in for the gradient.
---@param x kiln.Tensor|number
---@param size integer[]|integer
---@param stride integer[]|integer
---@param offset? integer
---@param base_size? integer[]|integer
---@param base_stride? integer[]|integer
---@param base_offset? integer
---@return kiln.Tensor
function kiln.as_strided(x, size, stride, offset, base_size, base_stride, base_offset) end

--- A view of x's storage with any size, stride and offset (in elements). Leave the base_ arguments out: the core fills them in for the gradient.
---@param size integer[]|integer
---@param stride integer[]|integer
---@param offset? integer
---@param base_size? integer[]|integer
---@param base_stride? integer[]|integer
---@param base_offset? integer
---@return kiln.Tensor
function Tensor:as_strided(size, stride, offset, base_size, base_stride, base_offset) end

--- The same values, without history.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.detach(x) end

--- The same values, without history.
---@return kiln.Tensor
function Tensor:detach() end

--- Repeats dims of size 1 without copying; -1 keeps a size. New dims come in front.
---@param x kiln.Tensor|number
---@param size integer[]|integer
---@return kiln.Tensor
function kiln.expand(x, size) end

--- Repeats dims of size 1 without copying; -1 keeps a size. New dims come in front.
---@param size integer[]|integer
---@return kiln.Tensor
function Tensor:expand(size) end

--- Repeats dims of size 1 without copying; -1 keeps a size. New dims come in front.
---@param x kiln.Tensor|number
---@param size integer[]|integer
---@return kiln.Tensor
function kiln.broadcast_to(x, size) end

--- Repeats dims of size 1 without copying; -1 keeps a size. New dims come in front.
---@param size integer[]|integer
---@return kiln.Tensor
function Tensor:broadcast_to(size) end

--- One position of a dim, which goes away.
---@param x kiln.Tensor|number
---@param dim integer
---@param index integer
---@return kiln.Tensor
function kiln.select(x, dim, index) end

--- One position of a dim, which goes away.
---@param dim integer
---@param index integer
---@return kiln.Tensor
function Tensor:select(dim, index) end

--- Positions first to last (included) of a dim, every step-th.
---@param x kiln.Tensor|number
---@param dim integer
---@param first integer
---@param last integer
---@param step? integer
---@return kiln.Tensor
function kiln.slice(x, dim, first, last, step) end

--- Positions first to last (included) of a dim, every step-th.
---@param dim integer
---@param first integer
---@param last integer
---@param step? integer
---@return kiln.Tensor
function Tensor:slice(dim, first, last, step) end

--- Exchanges two dims.
---@param x kiln.Tensor|number
---@param dim0 integer
---@param dim1 integer
---@return kiln.Tensor
function kiln.transpose(x, dim0, dim1) end

--- Exchanges two dims.
---@param dim0 integer
---@param dim1 integer
---@return kiln.Tensor
function Tensor:transpose(dim0, dim1) end

--- Exchanges two dims.
---@param x kiln.Tensor|number
---@param dim0 integer
---@param dim1 integer
---@return kiln.Tensor
function kiln.swapaxes(x, dim0, dim1) end

--- Exchanges two dims.
---@param dim0 integer
---@param dim1 integer
---@return kiln.Tensor
function Tensor:swapaxes(dim0, dim1) end

--- Exchanges two dims.
---@param x kiln.Tensor|number
---@param dim0 integer
---@param dim1 integer
---@return kiln.Tensor
function kiln.swapdims(x, dim0, dim1) end

--- Exchanges two dims.
---@param dim0 integer
---@param dim1 integer
---@return kiln.Tensor
function Tensor:swapdims(dim0, dim1) end

--- Reorders all dims.
---@param x kiln.Tensor|number
---@param dims integer[]|integer
---@return kiln.Tensor
function kiln.permute(x, dims) end

--- Reorders all dims.
---@param dims integer[]|integer
---@return kiln.Tensor
function Tensor:permute(dims) end

--- The same elements in another shape, without copying; one size may be -1. x:view(dtype): the same bytes as numbers of another dtype; where its numbers are larger or smaller, the last dim has fewer or more of them.
---@param x kiln.Tensor|number
---@param size integer[]|integer
---@return kiln.Tensor
function kiln.view(x, size) end

--- The same elements in another shape, without copying; one size may be -1. x:view(dtype): the same bytes as numbers of another dtype; where its numbers are larger or smaller, the last dim has fewer or more of them.
---@param size integer[]|integer
---@return kiln.Tensor
function Tensor:view(size) end

--- Drops dims of size 1: all of them, or those of the given dims that have it.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@return kiln.Tensor
function kiln.squeeze(x, dims) end

--- Drops dims of size 1: all of them, or those of the given dims that have it.
---@param dims? integer[]|integer
---@return kiln.Tensor
function Tensor:squeeze(dims) end

--- Inserts a dim of size 1.
---@param x kiln.Tensor|number
---@param dim integer
---@return kiln.Tensor
function kiln.unsqueeze(x, dim) end

--- Inserts a dim of size 1.
---@param dim integer
---@return kiln.Tensor
function Tensor:unsqueeze(dim) end

--- The diagonal of two dims as a new last dim; offset above (positive) or below it.
---@param x kiln.Tensor|number
---@param offset? integer
---@param dim1? integer
---@param dim2? integer
---@return kiln.Tensor
function kiln.diagonal(x, offset, dim1, dim2) end

--- The diagonal of two dims as a new last dim; offset above (positive) or below it.
---@param offset? integer
---@param dim1? integer
---@param dim2? integer
---@return kiln.Tensor
function Tensor:diagonal(offset, dim1, dim2) end

--- Windows of a dim, step apart; a new last dim runs inside the window.
---@param x kiln.Tensor|number
---@param dim integer
---@param size integer
---@param step integer
---@return kiln.Tensor
function kiln.unfold(x, dim, size, step) end

--- Windows of a dim, step apart; a new last dim runs inside the window.
---@param dim integer
---@param size integer
---@param step integer
---@return kiln.Tensor
function Tensor:unfold(dim, size, step) end

--- A contiguous copy.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.clone(x) end

--- A contiguous copy.
---@return kiln.Tensor
function Tensor:clone() end

--- A copy with another dtype.
---@param x kiln.Tensor|number
---@param dtype kiln.dtype|string
---@return kiln.Tensor
function kiln.cast(x, dtype) end

--- A copy with another dtype.
---@param dtype kiln.dtype|string
---@return kiln.Tensor
function Tensor:cast(dtype) end

--- Writes src, broadcast and cast, into x, from any device.  With non_blocking, memory that is pinned is read or written later, in the order of the device's stream.
---@param src kiln.Tensor|number
---@param non_blocking? boolean
---@return kiln.Tensor
function Tensor:copy_(src, non_blocking) end

--- Writes one value (a number or a 0-dim tensor) everywhere.
---@param value kiln.Tensor|number
---@return kiln.Tensor
function Tensor:fill_(value) end

--- 0.5 - 0.5 cos(2 pi t). The last of n + 1 numbers is left out if periodic.
---@param n integer
---@param periodic? boolean
---@param dtype? kiln.dtype|string
---@param device? string
---@return kiln.Tensor
function kiln.hann_window(n, periodic, dtype, device) end

--- 0.54 - 0.46 cos(2 pi t). The last of n + 1 numbers is left out if periodic.
---@param n integer
---@param periodic? boolean
---@param dtype? kiln.dtype|string
---@param device? string
---@return kiln.Tensor
function kiln.hamming_window(n, periodic, dtype, device) end

--- 0.42 - 0.5 cos(2 pi t) + 0.08 cos(4 pi t). The last of n + 1 numbers is left out if periodic.
---@param n integer
---@param periodic? boolean
---@param dtype? kiln.dtype|string
---@param device? string
---@return kiln.Tensor
function kiln.blackman_window(n, periodic, dtype, device) end

--- 1 - |2 t - 1|. The last of n + 1 numbers is left out if periodic.
---@param n integer
---@param periodic? boolean
---@param dtype? kiln.dtype|string
---@param device? string
---@return kiln.Tensor
function kiln.bartlett_window(n, periodic, dtype, device) end

--- i0(beta sqrt(1 - (2 t - 1)^2)) / i0(beta). The last of n + 1 numbers is left out if periodic.
---@param n integer
---@param periodic? boolean
---@param beta? number
---@param dtype? kiln.dtype|string
---@param device? string
---@return kiln.Tensor
function kiln.kaiser_window(n, periodic, beta, dtype, device) end

--- Fills x with numbers uniform in [from, to); the upper bound never comes.
---@param from? number
---@param to? number
---@return kiln.Tensor
function Tensor:uniform_(from, to) end

--- Fills x with normal numbers.
---@param mean? number
---@param std? number
---@return kiln.Tensor
function Tensor:normal_(mean, std) end

--- Fills x with exp(n), n normal with this mean and standard deviation.
---@param mean? number
---@param std? number
---@return kiln.Tensor
function Tensor:log_normal_(mean, std) end

--- Fills x with exponential numbers of rate lambd; never 0.
---@param lambd? number
---@return kiln.Tensor
function Tensor:exponential_(lambd) end

--- Fills x with the number of trials up to the first success, each of probability p; the largest number of an integer dtype where there are more.
---@param p number
---@return kiln.Tensor
function Tensor:geometric_(p) end

--- Fills x with Cauchy numbers.
---@param median? number
---@param sigma? number
---@return kiln.Tensor
function Tensor:cauchy_(median, sigma) end

--- Fills x with whole numbers of from..to - 1.
---@param from integer
---@param to integer
---@return kiln.Tensor
function Tensor:random_range_(from, to) end

--- Fills x with 1 where a coin of probability p (broadcast) falls so, else 0.
---@param p kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bernoulli_fill_(p) end

--- Fills x with coins of probability p, a number (0.5 without) or a tensor.
---@param x kiln.Tensor|number
---@param p? any
---@return kiln.Tensor
function kiln.bernoulli_(x, p) end

--- Fills x with coins of probability p, a number (0.5 without) or a tensor.
---@param p? any
---@return kiln.Tensor
function Tensor:bernoulli_(p) end

--- Coins shaped like x: of the probabilities in x, or all of probability p.
---@param x kiln.Tensor|number
---@param p? any
---@return kiln.Tensor
function kiln.bernoulli(x, p) end

--- Coins shaped like x: of the probabilities in x, or all of probability p.
---@param p? any
---@return kiln.Tensor
function Tensor:bernoulli(p) end

--- Fills x with whole numbers: random_() of 0 and up as far as the dtype is exact (int64: 2^53), random_(to) of 0..to - 1, random_(from, to) of from..to - 1.
---@param x kiln.Tensor|number
---@param from? integer
---@param to? integer
---@return kiln.Tensor
function kiln.random_(x, from, to) end

--- Fills x with whole numbers: random_() of 0 and up as far as the dtype is exact (int64: 2^53), random_(to) of 0..to - 1, random_(from, to) of from..to - 1.
---@param from? integer
---@param to? integer
---@return kiln.Tensor
function Tensor:random_(from, to) end

--- The numbers 1..n in random order.
---@param n integer
---@param dtype? kiln.dtype|string
---@param device? string
---@return kiln.Tensor
function kiln.randperm(n, dtype, device) end

--- n positions (from 1) drawn for each row of x by its weights, which need not sum to 1; a weight of 0 is never drawn.
---@param x kiln.Tensor|number
---@param n integer
---@param replacement? boolean
---@return kiln.Tensor
function kiln.multinomial(x, n, replacement) end

--- n positions (from 1) drawn for each row of x by its weights, which need not sum to 1; a weight of 0 is never drawn.
---@param n integer
---@param replacement? boolean
---@return kiln.Tensor
function Tensor:multinomial(n, replacement) end

--- Poisson numbers with the rates in x.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.poisson(x) end

--- Poisson numbers with the rates in x.
---@return kiln.Tensor
function Tensor:poisson() end

--- Gamma numbers with the shapes in alpha and rate 1; differentiable in alpha.
---@param alpha kiln.Tensor|number
---@return kiln.Tensor
function kiln.standard_gamma(alpha) end

--- Gamma numbers with the shapes in alpha and rate 1; differentiable in alpha.
---@return kiln.Tensor
function Tensor:standard_gamma() end

--- x with elements set to 0 with probability p and the others divided by 1 - p; and the mask of those kept.
---@param x kiln.Tensor|number
---@param p? number
---@return kiln.Tensor, kiln.Tensor
function kiln.dropout(x, p) end

--- x with elements set to 0 with probability p and the others divided by 1 - p; and the mask of those kept.
---@param p? number
---@return kiln.Tensor, kiln.Tensor
function Tensor:dropout(p) end

--- x where condition is true, else y; all broadcast. Of condition alone the positions where it is not 0: nonzero's with as_tuple.
---@param condition kiln.Tensor
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.where(condition, x, y) end

--- x where condition is true, else y; all broadcast. Of condition alone the positions where it is not 0: nonzero's with as_tuple.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:where(x, y) end

--- out[i][j] = x[index[i][j]][j] for dim 1, and so on; index has as many dims as x.
---@param x kiln.Tensor|number
---@param dim integer
---@param index kiln.Tensor
---@return kiln.Tensor
function kiln.gather(x, dim, index) end

--- out[i][j] = x[index[i][j]][j] for dim 1, and so on; index has as many dims as x.
---@param dim integer
---@param index kiln.Tensor
---@return kiln.Tensor
function Tensor:gather(dim, index) end

--- x with out[index[i][j]][j] = src[i][j] for dim 1, and so on; src may be a number, or larger than index. Of several writes to one place the last along dim stays. The option `reduce` ('add' or 'multiply') joins them with what was there.
---@param x kiln.Tensor|number
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function kiln.scatter(x, dim, index, src) end

--- x with out[index[i][j]][j] = src[i][j] for dim 1, and so on; src may be a number, or larger than index. Of several writes to one place the last along dim stays. The option `reduce` ('add' or 'multiply') joins them with what was there.
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function Tensor:scatter(dim, index, src) end

--- x with out[index[i][j]][j] = src[i][j] for dim 1, and so on; src may be a number, or larger than index. Of several writes to one place the last along dim stays. The option `reduce` ('add' or 'multiply') joins them with what was there.
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function Tensor:scatter_(dim, index, src) end

--- x with src[i][j] added at [index[i][j]][j] for dim 1, and so on; src may be larger than index.
---@param x kiln.Tensor|number
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function kiln.scatter_add(x, dim, index, src) end

--- x with src[i][j] added at [index[i][j]][j] for dim 1, and so on; src may be larger than index.
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function Tensor:scatter_add(dim, index, src) end

--- x with src[i][j] added at [index[i][j]][j] for dim 1, and so on; src may be larger than index.
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function Tensor:scatter_add_(dim, index, src) end

--- The positions of a dim that index lists.
---@param x kiln.Tensor|number
---@param dim integer
---@param index kiln.Tensor
---@return kiln.Tensor
function kiln.index_select(x, dim, index) end

--- The positions of a dim that index lists.
---@param dim integer
---@param index kiln.Tensor
---@return kiln.Tensor
function Tensor:index_select(dim, index) end

--- x with alpha * src added to the positions of a dim that index lists.
---@param x kiln.Tensor|number
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function kiln.index_add(x, dim, index, src, alpha) end

--- x with alpha * src added to the positions of a dim that index lists.
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function Tensor:index_add(dim, index, src, alpha) end

--- x with alpha * src added to the positions of a dim that index lists.
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@param alpha? number
---@return kiln.Tensor
function Tensor:index_add_(dim, index, src, alpha) end

--- x with src at the positions of a dim that index lists; the last of equal positions stays.
---@param x kiln.Tensor|number
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function kiln.index_copy(x, dim, index, src) end

--- x with src at the positions of a dim that index lists; the last of equal positions stays.
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function Tensor:index_copy(dim, index, src) end

--- x with src at the positions of a dim that index lists; the last of equal positions stays.
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function Tensor:index_copy_(dim, index, src) end

--- x with a value at the positions of a dim that index lists.
---@param x kiln.Tensor|number
---@param dim integer
---@param index kiln.Tensor
---@param value kiln.Tensor|number
---@return kiln.Tensor
function kiln.index_fill(x, dim, index, value) end

--- x with a value at the positions of a dim that index lists.
---@param dim integer
---@param index kiln.Tensor
---@param value kiln.Tensor|number
---@return kiln.Tensor
function Tensor:index_fill(dim, index, value) end

--- x with a value at the positions of a dim that index lists.
---@param dim integer
---@param index kiln.Tensor
---@param value kiln.Tensor|number
---@return kiln.Tensor
function Tensor:index_fill_(dim, index, value) end

--- gather with x and index broadcast against each other in the other dims; without dim, of x as one line.
---@param x kiln.Tensor|number
---@param index kiln.Tensor
---@param dim? integer
---@return kiln.Tensor
function kiln.take_along_dim(x, index, dim) end

--- gather with x and index broadcast against each other in the other dims; without dim, of x as one line.
---@param index kiln.Tensor
---@param dim? integer
---@return kiln.Tensor
function Tensor:take_along_dim(index, dim) end

--- x with the src that scatter would write to each place summed up, multiplied, averaged, or the largest or smallest of them, with x itself unless include_self is false. Of equal extremes one has the gradient.
---@param x kiln.Tensor|number
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@param reduce 'sum'|'prod'|'mean'|'amax'|'amin'
---@param include_self? boolean
---@return kiln.Tensor
function kiln.scatter_reduce(x, dim, index, src, reduce, include_self) end

--- x with the src that scatter would write to each place summed up, multiplied, averaged, or the largest or smallest of them, with x itself unless include_self is false. Of equal extremes one has the gradient.
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@param reduce 'sum'|'prod'|'mean'|'amax'|'amin'
---@param include_self? boolean
---@return kiln.Tensor
function Tensor:scatter_reduce(dim, index, src, reduce, include_self) end

--- x with the src that scatter would write to each place summed up, multiplied, averaged, or the largest or smallest of them, with x itself unless include_self is false. Of equal extremes one has the gradient.
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@param reduce 'sum'|'prod'|'mean'|'amax'|'amin'
---@param include_self? boolean
---@return kiln.Tensor
function Tensor:scatter_reduce_(dim, index, src, reduce, include_self) end

--- scatter_reduce of the positions of a dim that index lists.
---@param x kiln.Tensor|number
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@param reduce 'prod'|'mean'|'amax'|'amin'
---@param include_self? boolean
---@return kiln.Tensor
function kiln.index_reduce(x, dim, index, src, reduce, include_self) end

--- scatter_reduce of the positions of a dim that index lists.
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@param reduce 'prod'|'mean'|'amax'|'amin'
---@param include_self? boolean
---@return kiln.Tensor
function Tensor:index_reduce(dim, index, src, reduce, include_self) end

--- scatter_reduce of the positions of a dim that index lists.
---@param dim integer
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@param reduce 'prod'|'mean'|'amax'|'amin'
---@param include_self? boolean
---@return kiln.Tensor
function Tensor:index_reduce_(dim, index, src, reduce, include_self) end

--- Elements of x, seen as one line, in the shape of index.
---@param x kiln.Tensor|number
---@param index kiln.Tensor
---@return kiln.Tensor
function kiln.take(x, index) end

--- Elements of x, seen as one line, in the shape of index.
---@param index kiln.Tensor
---@return kiln.Tensor
function Tensor:take(index) end

--- x, seen as one line, with src at the positions index; the last of equal positions stays, or all add up, if accumulate.
---@param x kiln.Tensor|number
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@param accumulate? boolean
---@return kiln.Tensor
function kiln.put(x, index, src, accumulate) end

--- x, seen as one line, with src at the positions index; the last of equal positions stays, or all add up, if accumulate.
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@param accumulate? boolean
---@return kiln.Tensor
function Tensor:put(index, src, accumulate) end

--- x, seen as one line, with src at the positions index; the last of equal positions stays, or all add up, if accumulate.
---@param index kiln.Tensor
---@param src kiln.Tensor|number
---@param accumulate? boolean
---@return kiln.Tensor
function Tensor:put_(index, src, accumulate) end

--- x with a value, in the dtype of x, where mask (broadcast) is true.
---@param x kiln.Tensor|number
---@param mask kiln.Tensor
---@param value kiln.Tensor|number
---@return kiln.Tensor
function kiln.masked_fill(x, mask, value) end

--- x with a value, in the dtype of x, where mask (broadcast) is true.
---@param mask kiln.Tensor
---@param value kiln.Tensor|number
---@return kiln.Tensor
function Tensor:masked_fill(mask, value) end

--- x with a value, in the dtype of x, where mask (broadcast) is true.
---@param mask kiln.Tensor
---@param value kiln.Tensor|number
---@return kiln.Tensor
function Tensor:masked_fill_(mask, value) end

--- The elements of x where mask is true (both broadcast), in order, with one dim.
---@param x kiln.Tensor|number
---@param mask kiln.Tensor
---@return kiln.Tensor
function kiln.masked_select(x, mask) end

--- The elements of x where mask is true (both broadcast), in order, with one dim.
---@param mask kiln.Tensor
---@return kiln.Tensor
function Tensor:masked_select(mask) end

--- x with the elements of src, in order, where mask is true.
---@param x kiln.Tensor|number
---@param mask kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function kiln.masked_scatter(x, mask, src) end

--- x with the elements of src, in order, where mask is true.
---@param mask kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function Tensor:masked_scatter(mask, src) end

--- x with the elements of src, in order, where mask is true.
---@param mask kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function Tensor:masked_scatter_(mask, src) end

--- masked_scatter by its older name.
---@param x kiln.Tensor|number
---@param mask kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function kiln.masked_copy(x, mask, src) end

--- masked_scatter by its older name.
---@param mask kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function Tensor:masked_copy(mask, src) end

--- masked_scatter by its older name.
---@param mask kiln.Tensor
---@param src kiln.Tensor|number
---@return kiln.Tensor
function Tensor:masked_copy_(mask, src) end

--- [count, dims]: the coordinates of the elements that are not 0, in order. With the option `as_tuple` the positions in each dim, one tensor a dim: x[{x:nonzero({as_tuple = true})}].
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.nonzero(x) end

--- [count, dims]: the coordinates of the elements that are not 0, in order. With the option `as_tuple` the positions in each dim, one tensor a dim: x[{x:nonzero({as_tuple = true})}].
---@return kiln.Tensor
function Tensor:nonzero() end

--- nonzero by its newer name.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.argwhere(x) end

--- nonzero by its newer name.
---@return kiln.Tensor
function Tensor:argwhere() end

--- x[{i1, i2, ...}]: the elements at the positions that the index tensors, broadcast, list for their dims; nil takes a dim whole. The new dims stand where the indexed dims stood if those are neighbours, else in front.
---@param x kiln.Tensor|number
---@param i1? kiln.Tensor
---@param i2? kiln.Tensor
---@param i3? kiln.Tensor
---@param i4? kiln.Tensor
---@param i5? kiln.Tensor
---@param i6? kiln.Tensor
---@param i7? kiln.Tensor
---@param i8? kiln.Tensor
---@return kiln.Tensor
function kiln.index(x, i1, i2, i3, i4, i5, i6, i7, i8) end

--- x[{i1, i2, ...}]: the elements at the positions that the index tensors, broadcast, list for their dims; nil takes a dim whole. The new dims stand where the indexed dims stood if those are neighbours, else in front.
---@param i1? kiln.Tensor
---@param i2? kiln.Tensor
---@param i3? kiln.Tensor
---@param i4? kiln.Tensor
---@param i5? kiln.Tensor
---@param i6? kiln.Tensor
---@param i7? kiln.Tensor
---@param i8? kiln.Tensor
---@return kiln.Tensor
function Tensor:index(i1, i2, i3, i4, i5, i6, i7, i8) end

--- x with value, broadcast, at the positions that index would read; the last of equal positions stays, or all add up, if accumulate. Also x:index_put({ i1, i2, ... }, value, accumulate), where an index may be a mask and {} takes a dim whole.
---@param x kiln.Tensor|number
---@param value kiln.Tensor|number
---@param i1? kiln.Tensor
---@param i2? kiln.Tensor
---@param i3? kiln.Tensor
---@param i4? kiln.Tensor
---@param i5? kiln.Tensor
---@param i6? kiln.Tensor
---@param i7? kiln.Tensor
---@param i8? kiln.Tensor
---@param accumulate? boolean
---@return kiln.Tensor
function kiln.index_put(x, value, i1, i2, i3, i4, i5, i6, i7, i8, accumulate) end

--- x with value, broadcast, at the positions that index would read; the last of equal positions stays, or all add up, if accumulate. Also x:index_put({ i1, i2, ... }, value, accumulate), where an index may be a mask and {} takes a dim whole.
---@param value kiln.Tensor|number
---@param i1? kiln.Tensor
---@param i2? kiln.Tensor
---@param i3? kiln.Tensor
---@param i4? kiln.Tensor
---@param i5? kiln.Tensor
---@param i6? kiln.Tensor
---@param i7? kiln.Tensor
---@param i8? kiln.Tensor
---@param accumulate? boolean
---@return kiln.Tensor
function Tensor:index_put(value, i1, i2, i3, i4, i5, i6, i7, i8, accumulate) end

--- x with value, broadcast, at the positions that index would read; the last of equal positions stays, or all add up, if accumulate. Also x:index_put({ i1, i2, ... }, value, accumulate), where an index may be a mask and {} takes a dim whole.
---@param value kiln.Tensor|number
---@param i1? kiln.Tensor
---@param i2? kiln.Tensor
---@param i3? kiln.Tensor
---@param i4? kiln.Tensor
---@param i5? kiln.Tensor
---@param i6? kiln.Tensor
---@param i7? kiln.Tensor
---@param i8? kiln.Tensor
---@param accumulate? boolean
---@return kiln.Tensor
function Tensor:index_put_(value, i1, i2, i3, i4, i5, i6, i7, i8, accumulate) end

--- Rows of weight by position, in the shape of index with one more dim. The row padding_idx gets no gradient; scale_grad_by_freq divides a row's gradient by how often it was chosen; with sparse a leaf's gradient is row-sparse.
---@param weight kiln.Tensor|number
---@param index kiln.Tensor
---@param padding_idx? integer
---@param scale_grad_by_freq? boolean
---@param sparse? boolean
---@return kiln.Tensor
function kiln.embedding(weight, index, padding_idx, scale_grad_by_freq, sparse) end

--- Rows of weight by position, in the shape of index with one more dim. The row padding_idx gets no gradient; scale_grad_by_freq divides a row's gradient by how often it was chosen; with sparse a leaf's gradient is row-sparse.
---@param index kiln.Tensor
---@param padding_idx? integer
---@param scale_grad_by_freq? boolean
---@param sparse? boolean
---@return kiln.Tensor
function Tensor:embedding(index, padding_idx, scale_grad_by_freq, sparse) end

--- The largest value of each column of x in the rows of each segment, and its row (0: none, the value is 0).
---@param x kiln.Tensor|number
---@param segment kiln.Tensor
---@param count integer
---@return kiln.Tensor, kiln.Tensor
function kiln.segment_max(x, segment, count) end

--- The largest value of each column of x in the rows of each segment, and its row (0: none, the value is 0).
---@param segment kiln.Tensor
---@param count integer
---@return kiln.Tensor, kiln.Tensor
function Tensor:segment_max(segment, count) end

--- Sum, mean or maximum of the rows of weight in each bag: a row of a 2-dim index, or what lies between two offsets (where each bag begins, from 1) of a 1-dim one. padding_idx takes no part.
---@param weight kiln.Tensor|number
---@param index kiln.Tensor
---@param offsets? kiln.Tensor
---@param mode? 'sum'|'mean'|'max'
---@param padding_idx? integer
---@return kiln.Tensor
function kiln.embedding_bag(weight, index, offsets, mode, padding_idx) end

--- Sum, mean or maximum of the rows of weight in each bag: a row of a 2-dim index, or what lies between two offsets (where each bag begins, from 1) of a 1-dim one. padding_idx takes no part.
---@param index kiln.Tensor
---@param offsets? kiln.Tensor
---@param mode? 'sum'|'mean'|'max'
---@param padding_idx? integer
---@return kiln.Tensor
function Tensor:embedding_bag(index, offsets, mode, padding_idx) end

--- 0 and 1 (int64): a new last dim of num_classes (without: the largest position), 1 at the position.
---@param index kiln.Tensor
---@param num_classes? integer
---@return kiln.Tensor
function kiln.one_hot(index, num_classes) end

--- 0 and 1 (int64): a new last dim of num_classes (without: the largest position), 1 at the position.
---@param num_classes? integer
---@return kiln.Tensor
function Tensor:one_hot(num_classes) end

--- How often each of 1, 2, ... stands in the integers x (or the sum of weights there); at least minlength counts.
---@param x kiln.Tensor|number
---@param weights? kiln.Tensor|number
---@param minlength? integer
---@return kiln.Tensor
function kiln.bincount(x, weights, minlength) end

--- How often each of 1, 2, ... stands in the integers x (or the sum of weights there); at least minlength counts.
---@param weights? kiln.Tensor|number
---@param minlength? integer
---@return kiln.Tensor
function Tensor:bincount(weights, minlength) end

--- How many elements fall into each of `bins` equal parts of [min, max]; min = max means the range of the data.
---@param x kiln.Tensor|number
---@param bins? integer
---@param min? number
---@param max? number
---@return kiln.Tensor
function kiln.histc(x, bins, min, max) end

--- How many elements fall into each of `bins` equal parts of [min, max]; min = max means the range of the data.
---@param bins? integer
---@param min? number
---@param max? number
---@return kiln.Tensor
function Tensor:histc(bins, min, max) end

--- The position (from 1) in sorted before which each value of x goes; after equal ones if right, or with the option `side = 'right'`; NaN counts as above every number, as sort has it. The option `sorter`: positions that sort it, as argsort gives them.
---@param sorted kiln.Tensor|number
---@param x kiln.Tensor|number
---@param right? boolean
---@return kiln.Tensor
function kiln.searchsorted(sorted, x, right) end

--- The position (from 1) in sorted before which each value of x goes; after equal ones if right, or with the option `side = 'right'`; NaN counts as above every number, as sort has it. The option `sorter`: positions that sort it, as argsort gives them.
---@param x kiln.Tensor|number
---@param right? boolean
---@return kiln.Tensor
function Tensor:searchsorted(x, right) end

--- searchsorted with its arguments exchanged.
---@param x kiln.Tensor|number
---@param boundaries kiln.Tensor|number
---@param right? boolean
---@return kiln.Tensor
function kiln.bucketize(x, boundaries, right) end

--- searchsorted with its arguments exchanged.
---@param boundaries kiln.Tensor|number
---@param right? boolean
---@return kiln.Tensor
function Tensor:bucketize(boundaries, right) end

--- Each position of a dim (of x as one line, without dim) repeated: a number, or a tensor with a number for each. Of x alone: position i as often as x[i] says.
---@param x kiln.Tensor|number
---@param repeats? any
---@param dim? integer
---@return kiln.Tensor
function kiln.repeat_interleave(x, repeats, dim) end

--- Each position of a dim (of x as one line, without dim) repeated: a number, or a tensor with a number for each. Of x alone: position i as often as x[i] says.
---@param repeats? any
---@param dim? integer
---@return kiln.Tensor
function Tensor:repeat_interleave(repeats, dim) end

--- The last two dims on and below a diagonal, 0 above it.
---@param x kiln.Tensor|number
---@param diagonal? integer
---@return kiln.Tensor
function kiln.tril(x, diagonal) end

--- The last two dims on and below a diagonal, 0 above it.
---@param diagonal? integer
---@return kiln.Tensor
function Tensor:tril(diagonal) end

--- The last two dims on and below a diagonal, 0 above it.
---@param diagonal? integer
---@return kiln.Tensor
function Tensor:tril_(diagonal) end

--- The last two dims on and above a diagonal, 0 below it.
---@param x kiln.Tensor|number
---@param diagonal? integer
---@return kiln.Tensor
function kiln.triu(x, diagonal) end

--- The last two dims on and above a diagonal, 0 below it.
---@param diagonal? integer
---@return kiln.Tensor
function Tensor:triu(diagonal) end

--- The last two dims on and above a diagonal, 0 below it.
---@param diagonal? integer
---@return kiln.Tensor
function Tensor:triu_(diagonal) end

--- Matrices with the last dim of x on a diagonal, 0 elsewhere; dim1 and dim2 of the result are their rows and columns. `offset` is another name of the option `diagonal`.
---@param x kiln.Tensor|number
---@param diagonal? integer
---@param dim1? integer
---@param dim2? integer
---@return kiln.Tensor
function kiln.diag_embed(x, diagonal, dim1, dim2) end

--- Matrices with the last dim of x on a diagonal, 0 elsewhere; dim1 and dim2 of the result are their rows and columns. `offset` is another name of the option `diagonal`.
---@param diagonal? integer
---@param dim1? integer
---@param dim2? integer
---@return kiln.Tensor
function Tensor:diag_embed(diagonal, dim1, dim2) end

--- A matrix with the vector x on a diagonal, or a copy of a diagonal of the matrix x.
---@param x kiln.Tensor|number
---@param diagonal? integer
---@return kiln.Tensor
function kiln.diag(x, diagonal) end

--- A matrix with the vector x on a diagonal, or a copy of a diagonal of the matrix x.
---@param diagonal? integer
---@return kiln.Tensor
function Tensor:diag(diagonal) end

--- The sum of the main diagonal of a matrix.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.trace(x) end

--- The sum of the main diagonal of a matrix.
---@return kiln.Tensor
function Tensor:trace() end

--- [2, count]: rows and columns of tril's elements, by rows.
---@param rows integer
---@param cols integer
---@param offset? integer
---@return kiln.Tensor
function kiln.tril_indices(rows, cols, offset) end

--- [2, count]: rows and columns of triu's elements, by rows.
---@param rows integer
---@param cols integer
---@param offset? integer
---@return kiln.Tensor
function kiln.triu_indices(rows, cols, offset) end

--- x sorted along dim, and where each element came from. Sorting is always stable.
---@param x kiln.Tensor|number
---@param dim? integer
---@param descending? boolean
---@param stable? boolean
---@return kiln.Tensor, kiln.Tensor
function kiln.sort(x, dim, descending, stable) end

--- x sorted along dim, and where each element came from. Sorting is always stable.
---@param dim? integer
---@param descending? boolean
---@param stable? boolean
---@return kiln.Tensor, kiln.Tensor
function Tensor:sort(dim, descending, stable) end

--- The positions that sort x along dim.
---@param x kiln.Tensor|number
---@param dim? integer
---@param descending? boolean
---@param stable? boolean
---@return kiln.Tensor
function kiln.argsort(x, dim, descending, stable) end

--- The positions that sort x along dim.
---@param dim? integer
---@param descending? boolean
---@param stable? boolean
---@return kiln.Tensor
function Tensor:argsort(dim, descending, stable) end

--- x sorted along its first dim.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.msort(x) end

--- x sorted along its first dim.
---@return kiln.Tensor
function Tensor:msort() end

--- The k largest (or smallest) elements along dim and their positions; of equals the first. Unsorted ones come in the order of their positions.
---@param x kiln.Tensor|number
---@param k integer
---@param dim? integer
---@param largest? boolean
---@param sorted? boolean
---@return kiln.Tensor, kiln.Tensor
function kiln.topk(x, k, dim, largest, sorted) end

--- The k largest (or smallest) elements along dim and their positions; of equals the first. Unsorted ones come in the order of their positions.
---@param k integer
---@param dim? integer
---@param largest? boolean
---@param sorted? boolean
---@return kiln.Tensor, kiln.Tensor
function Tensor:topk(k, dim, largest, sorted) end

--- The k-th smallest element along dim (k from 1), and its position.
---@param x kiln.Tensor|number
---@param k integer
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor, kiln.Tensor
function kiln.kthvalue(x, k, dim, keepdim) end

--- The k-th smallest element along dim (k from 1), and its position.
---@param k integer
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor, kiln.Tensor
function Tensor:kthvalue(k, dim, keepdim) end

--- The median along dim (of all elements without), the lower of two, and its position; NaN if there is one. Of all elements, equal ones share the gradient.
---@param x kiln.Tensor|number
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.median(x, dim, keepdim) end

--- The median along dim (of all elements without), the lower of two, and its position; NaN if there is one. Of all elements, equal ones share the gradient.
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:median(dim, keepdim) end

--- The median along dim (of all elements without) of what is not NaN, the lower of two, and its position. Of all elements, equal ones share the gradient.
---@param x kiln.Tensor|number
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.nanmedian(x, dim, keepdim) end

--- The median along dim (of all elements without) of what is not NaN, the lower of two, and its position. Of all elements, equal ones share the gradient.
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:nanmedian(dim, keepdim) end

--- The most frequent element along dim, the smallest of several, and the last position of it. Every NaN is a value of its own: one that comes first is the mode if nothing stands twice.
---@param x kiln.Tensor|number
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor, kiln.Tensor
function kiln.mode(x, dim, keepdim) end

--- The most frequent element along dim, the smallest of several, and the last position of it. Every NaN is a value of its own: one that comes first is the mode if nothing stands twice.
---@param dim? integer
---@param keepdim? boolean
---@return kiln.Tensor, kiln.Tensor
function Tensor:mode(dim, keepdim) end

--- The distinct elements of x (rows along dim), sorted; then, if asked, for each element the position of its value, and how often each value stands in x. The gradient of a value goes to the first element that has it.
---@param x kiln.Tensor|number
---@param sorted? boolean
---@param return_inverse? boolean
---@param return_counts? boolean
---@param dim? integer
---@return kiln.Tensor
function kiln.unique(x, sorted, return_inverse, return_counts, dim) end

--- The distinct elements of x (rows along dim), sorted; then, if asked, for each element the position of its value, and how often each value stands in x. The gradient of a value goes to the first element that has it.
---@param sorted? boolean
---@param return_inverse? boolean
---@param return_counts? boolean
---@param dim? integer
---@return kiln.Tensor
function Tensor:unique(sorted, return_inverse, return_counts, dim) end

--- x (rows along dim) without elements that equal the one before; then, if asked, positions and counts as unique gives them, and its gradient.
---@param x kiln.Tensor|number
---@param return_inverse? boolean
---@param return_counts? boolean
---@param dim? integer
---@return kiln.Tensor
function kiln.unique_consecutive(x, return_inverse, return_counts, dim) end

--- x (rows along dim) without elements that equal the one before; then, if asked, positions and counts as unique gives them, and its gradient.
---@param return_inverse? boolean
---@param return_counts? boolean
---@param dim? integer
---@return kiln.Tensor
function Tensor:unique_consecutive(return_inverse, return_counts, dim) end

--- Matrix product of [n, k] and [k, m].
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.mm(x, y) end

--- Matrix product of [n, k] and [k, m].
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:mm(y) end

--- Batched matrix product of [b, n, k] and [b, k, m].
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.bmm(x, y) end

--- Batched matrix product of [b, n, k] and [b, k, m].
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bmm(y) end

--- Product of a matrix [n, k] and a vector [k].
---@param x kiln.Tensor|number
---@param vec kiln.Tensor|number
---@return kiln.Tensor
function kiln.mv(x, vec) end

--- Product of a matrix [n, k] and a vector [k].
---@param vec kiln.Tensor|number
---@return kiln.Tensor
function Tensor:mv(vec) end

--- Sum of the products of two vectors.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.dot(x, y) end

--- Sum of the products of two vectors.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:dot(y) end

--- Sum of the products of two vectors.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.vdot(x, y) end

--- Sum of the products of two vectors.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:vdot(y) end

--- x weight^T + bias over the last dim of x: [..., k], weight [m, k], bias [m].
---@param x kiln.Tensor|number
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@return kiln.Tensor
function kiln.linear(x, weight, bias) end

--- x weight^T + bias over the last dim of x: [..., k], weight [m, k], bias [m].
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@return kiln.Tensor
function Tensor:linear(weight, bias) end

--- beta * x + alpha * (mat1 mat2).
---@param x kiln.Tensor|number
---@param mat1 kiln.Tensor|number
---@param mat2 kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function kiln.addmm(x, mat1, mat2, beta, alpha) end

--- beta * x + alpha * (mat1 mat2).
---@param mat1 kiln.Tensor|number
---@param mat2 kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function Tensor:addmm(mat1, mat2, beta, alpha) end

--- beta * x + alpha * (mat1 mat2).
---@param mat1 kiln.Tensor|number
---@param mat2 kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function Tensor:addmm_(mat1, mat2, beta, alpha) end

--- beta * x + alpha * (mat vec).
---@param x kiln.Tensor|number
---@param mat kiln.Tensor|number
---@param vec kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function kiln.addmv(x, mat, vec, beta, alpha) end

--- beta * x + alpha * (mat vec).
---@param mat kiln.Tensor|number
---@param vec kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function Tensor:addmv(mat, vec, beta, alpha) end

--- beta * x + alpha * (mat vec).
---@param mat kiln.Tensor|number
---@param vec kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function Tensor:addmv_(mat, vec, beta, alpha) end

--- beta * x + alpha * (vec1 vec2^T).
---@param x kiln.Tensor|number
---@param vec1 kiln.Tensor|number
---@param vec2 kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function kiln.addr(x, vec1, vec2, beta, alpha) end

--- beta * x + alpha * (vec1 vec2^T).
---@param vec1 kiln.Tensor|number
---@param vec2 kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function Tensor:addr(vec1, vec2, beta, alpha) end

--- beta * x + alpha * (vec1 vec2^T).
---@param vec1 kiln.Tensor|number
---@param vec2 kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function Tensor:addr_(vec1, vec2, beta, alpha) end

--- beta * x + alpha * (batch1 batch2), batch by batch.
---@param x kiln.Tensor|number
---@param batch1 kiln.Tensor|number
---@param batch2 kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function kiln.baddbmm(x, batch1, batch2, beta, alpha) end

--- beta * x + alpha * (batch1 batch2), batch by batch.
---@param batch1 kiln.Tensor|number
---@param batch2 kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function Tensor:baddbmm(batch1, batch2, beta, alpha) end

--- beta * x + alpha * (batch1 batch2), batch by batch.
---@param batch1 kiln.Tensor|number
---@param batch2 kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function Tensor:baddbmm_(batch1, batch2, beta, alpha) end

--- beta * x + alpha * (the sum over the batch of batch1 batch2).
---@param x kiln.Tensor|number
---@param batch1 kiln.Tensor|number
---@param batch2 kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function kiln.addbmm(x, batch1, batch2, beta, alpha) end

--- beta * x + alpha * (the sum over the batch of batch1 batch2).
---@param batch1 kiln.Tensor|number
---@param batch2 kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function Tensor:addbmm(batch1, batch2, beta, alpha) end

--- beta * x + alpha * (the sum over the batch of batch1 batch2).
---@param batch1 kiln.Tensor|number
---@param batch2 kiln.Tensor|number
---@param beta? number
---@param alpha? number
---@return kiln.Tensor
function Tensor:addbmm_(batch1, batch2, beta, alpha) end

--- Every product of an element of vector x with one of vector y: [n, m].
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.outer(x, y) end

--- Every product of an element of vector x with one of vector y: [n, m].
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:outer(y) end

--- The same as outer.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.ger(x, y) end

--- The same as outer.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:ger(y) end

--- Matrix product: vectors count as rows (left) or columns (right), batch dims broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.matmul(x, y) end

--- Matrix product: vectors count as rows (left) or columns (right), batch dims broadcast.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:matmul(y) end

--- The inverse of each square matrix; a singular one raises.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.inverse(x) end

--- The inverse of each square matrix; a singular one raises.
---@return kiln.Tensor
function Tensor:inverse() end

--- The inverse of each square matrix; a singular one raises.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.inv(x) end

--- The inverse of each square matrix; a singular one raises.
---@return kiln.Tensor
function Tensor:inv() end

--- The determinant of each square matrix.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.det(x) end

--- The determinant of each square matrix.
---@return kiln.Tensor
function Tensor:det() end

--- The sign of the determinant and the logarithm of its absolute value (0 and -inf if singular).
---@param x kiln.Tensor|number
---@return kiln.Tensor, kiln.Tensor
function kiln.slogdet(x) end

--- The sign of the determinant and the logarithm of its absolute value (0 and -inf if singular).
---@return kiln.Tensor, kiln.Tensor
function Tensor:slogdet() end

--- The logarithm of the determinant; NaN where it is negative.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.logdet(x) end

--- The logarithm of the determinant; NaN where it is negative.
---@return kiln.Tensor
function Tensor:logdet() end

--- x of a x = b for square a; b is a matrix or a vector, batches broadcast. Where b has one dim less than a, and its sizes, it is a vector for each matrix.
---@param a kiln.Tensor|number
---@param b kiln.Tensor|number
---@return kiln.Tensor
function kiln.solve(a, b) end

--- x of a x = b for square a; b is a matrix or a vector, batches broadcast. Where b has one dim less than a, and its sizes, it is a vector for each matrix.
---@param b kiln.Tensor|number
---@return kiln.Tensor
function Tensor:solve(b) end

--- x of a x = b (a^T x = b if transpose) for triangular a, of which only that triangle is read.
---@param b kiln.Tensor|number
---@param a kiln.Tensor|number
---@param upper? boolean
---@param transpose? boolean
---@param unitriangular? boolean
---@return kiln.Tensor
function kiln.triangular_solve(b, a, upper, transpose, unitriangular) end

--- x of a x = b (a^T x = b if transpose) for triangular a, of which only that triangle is read.
---@param a kiln.Tensor|number
---@param upper? boolean
---@param transpose? boolean
---@param unitriangular? boolean
---@return kiln.Tensor
function Tensor:triangular_solve(a, upper, transpose, unitriangular) end

--- x that makes |a x - b| smallest, or the shortest x of a x = b where a has more columns than rows; a must have full rank. b is a matrix or a vector, as in solve.
---@param a kiln.Tensor|number
---@param b kiln.Tensor|number
---@return kiln.Tensor
function kiln.lstsq(a, b) end

--- x that makes |a x - b| smallest, or the shortest x of a x = b where a has more columns than rows; a must have full rank. b is a matrix or a vector, as in solve.
---@param b kiln.Tensor|number
---@return kiln.Tensor
function Tensor:lstsq(b) end

--- x of a x = b, and the LU factors of a.
---@param b kiln.Tensor|number
---@param a kiln.Tensor|number
---@return kiln.Tensor
function kiln.gesv(b, a) end

--- x of a x = b, and the LU factors of a.
---@param a kiln.Tensor|number
---@return kiln.Tensor
function Tensor:gesv(a) end

--- lstsq of a and b, and the packed QR factors of a, which cannot be differentiated.
---@param b kiln.Tensor|number
---@param a kiln.Tensor|number
---@return kiln.Tensor
function kiln.gels(b, a) end

--- lstsq of a and b, and the packed QR factors of a, which cannot be differentiated.
---@param a kiln.Tensor|number
---@return kiln.Tensor
function Tensor:gels(a) end

--- triangular_solve of b and a, and a copy of a.
---@param b kiln.Tensor|number
---@param a kiln.Tensor|number
---@param upper? boolean
---@param transpose? boolean
---@param unitriangular? boolean
---@return kiln.Tensor
function kiln.trtrs(b, a, upper, transpose, unitriangular) end

--- triangular_solve of b and a, and a copy of a.
---@param a kiln.Tensor|number
---@param upper? boolean
---@param transpose? boolean
---@param unitriangular? boolean
---@return kiln.Tensor
function Tensor:trtrs(a, upper, transpose, unitriangular) end

--- Packed L and U of the rows of x interchanged, the interchanges (from 1), and LAPACK's info: 0, or the place of a zero on U's diagonal.
---@param x kiln.Tensor|number
---@return kiln.Tensor, kiln.Tensor, kiln.Tensor
function kiln.lu_factor(x) end

--- Packed L and U of the rows of x interchanged, the interchanges (from 1), and LAPACK's info: 0, or the place of a zero on U's diagonal.
---@return kiln.Tensor, kiln.Tensor, kiln.Tensor
function Tensor:lu_factor() end

--- x of a x = b (a^T x = b if transpose) from the factors that lu_factor gives.
---@param b kiln.Tensor|number
---@param lu kiln.Tensor|number
---@param pivots kiln.Tensor
---@param transpose? boolean
---@return kiln.Tensor
function kiln.lu_solve(b, lu, pivots, transpose) end

--- x of a x = b (a^T x = b if transpose) from the factors that lu_factor gives.
---@param lu kiln.Tensor|number
---@param pivots kiln.Tensor
---@param transpose? boolean
---@return kiln.Tensor
function Tensor:lu_solve(lu, pivots, transpose) end

--- Interchanges as a permutation: row i of L U is row out[i] of the matrix.
---@param pivots kiln.Tensor
---@param rows integer
---@return kiln.Tensor
function kiln.lu_permutation(pivots, rows) end

--- Interchanges as a permutation: row i of L U is row out[i] of the matrix.
---@param rows integer
---@return kiln.Tensor
function Tensor:lu_permutation(rows) end

--- lu_factor; its info only if get_infos.
---@param x kiln.Tensor|number
---@param pivot? boolean
---@param get_infos? boolean
---@return kiln.Tensor
function kiln.lu(x, pivot, get_infos) end

--- lu_factor; its info only if get_infos.
---@param pivot? boolean
---@param get_infos? boolean
---@return kiln.Tensor
function Tensor:lu(pivot, get_infos) end

--- lu by its older name.
---@param x kiln.Tensor|number
---@param pivot? boolean
---@return kiln.Tensor
function kiln.btrifact(x, pivot) end

--- lu by its older name.
---@param pivot? boolean
---@return kiln.Tensor
function Tensor:btrifact(pivot) end

--- lu with its info.
---@param x kiln.Tensor|number
---@param pivot? boolean
---@return kiln.Tensor
function kiln.btrifact_with_info(x, pivot) end

--- lu with its info.
---@param pivot? boolean
---@return kiln.Tensor
function Tensor:btrifact_with_info(pivot) end

--- lu_solve where b is a vector [n] for each matrix, or a matrix.
---@param b kiln.Tensor|number
---@param lu kiln.Tensor|number
---@param pivots kiln.Tensor
---@return kiln.Tensor
function kiln.btrisolve(b, lu, pivots) end

--- lu_solve where b is a vector [n] for each matrix, or a matrix.
---@param lu kiln.Tensor|number
---@param pivots kiln.Tensor
---@return kiln.Tensor
function Tensor:btrisolve(lu, pivots) end

--- The matrices P, L and U of packed factors, P L U the matrix they were made of; nil for what is not asked.
---@param lu kiln.Tensor|number
---@param pivots kiln.Tensor
---@param unpack_data? boolean
---@param unpack_pivots? boolean
---@return kiln.Tensor
function kiln.btriunpack(lu, pivots, unpack_data, unpack_pivots) end

--- The matrices P, L and U of packed factors, P L U the matrix they were made of; nil for what is not asked.
---@param pivots kiln.Tensor
---@param unpack_data? boolean
---@param unpack_pivots? boolean
---@return kiln.Tensor
function Tensor:btriunpack(pivots, unpack_data, unpack_pivots) end

--- btriunpack by its newer name.
---@param lu kiln.Tensor|number
---@param pivots kiln.Tensor
---@param unpack_data? boolean
---@param unpack_pivots? boolean
---@return kiln.Tensor
function kiln.lu_unpack(lu, pivots, unpack_data, unpack_pivots) end

--- btriunpack by its newer name.
---@param pivots kiln.Tensor
---@param unpack_data? boolean
---@param unpack_pivots? boolean
---@return kiln.Tensor
function Tensor:lu_unpack(pivots, unpack_data, unpack_pivots) end

--- The triangular factor of each positive definite matrix: L of L L^T, or U of U^T U if upper. Only that triangle of x is read.
---@param x kiln.Tensor|number
---@param upper? boolean
---@return kiln.Tensor
function kiln.cholesky(x, upper) end

--- The triangular factor of each positive definite matrix: L of L L^T, or U of U^T U if upper. Only that triangle of x is read.
---@param upper? boolean
---@return kiln.Tensor
function Tensor:cholesky(upper) end

--- The inverse of the matrix whose Cholesky factor is x.
---@param x kiln.Tensor|number
---@param upper? boolean
---@return kiln.Tensor
function kiln.cholesky_inverse(x, upper) end

--- The inverse of the matrix whose Cholesky factor is x.
---@param upper? boolean
---@return kiln.Tensor
function Tensor:cholesky_inverse(upper) end

--- Solves with the matrix whose Cholesky factor is x.
---@param b kiln.Tensor|number
---@param x kiln.Tensor|number
---@param upper? boolean
---@return kiln.Tensor
function kiln.cholesky_solve(b, x, upper) end

--- Solves with the matrix whose Cholesky factor is x.
---@param x kiln.Tensor|number
---@param upper? boolean
---@return kiln.Tensor
function Tensor:cholesky_solve(x, upper) end

--- Cholesky factor of a positive semidefinite matrix with its rows and columns interchanged, their order (from 1), and its rank.
---@param x kiln.Tensor|number
---@param upper? boolean
---@return kiln.Tensor, kiln.Tensor, kiln.Tensor
function kiln.pstrf(x, upper) end

--- Cholesky factor of a positive semidefinite matrix with its rows and columns interchanged, their order (from 1), and its rank.
---@param upper? boolean
---@return kiln.Tensor, kiln.Tensor, kiln.Tensor
function Tensor:pstrf(upper) end

--- cholesky, upper unless said otherwise.
---@param x kiln.Tensor|number
---@param upper? boolean
---@return kiln.Tensor
function kiln.potrf(x, upper) end

--- cholesky, upper unless said otherwise.
---@param upper? boolean
---@return kiln.Tensor
function Tensor:potrf(upper) end

--- cholesky_inverse, upper unless said otherwise.
---@param x kiln.Tensor|number
---@param upper? boolean
---@return kiln.Tensor
function kiln.potri(x, upper) end

--- cholesky_inverse, upper unless said otherwise.
---@param upper? boolean
---@return kiln.Tensor
function Tensor:potri(upper) end

--- cholesky_solve, upper unless said otherwise.
---@param b kiln.Tensor|number
---@param x kiln.Tensor|number
---@param upper? boolean
---@return kiln.Tensor
function kiln.potrs(b, x, upper) end

--- cholesky_solve, upper unless said otherwise.
---@param x kiln.Tensor|number
---@param upper? boolean
---@return kiln.Tensor
function Tensor:potrs(x, upper) end

--- q and r of x = q r: q has orthonormal columns (all of them if not some), r is upper triangular. Where columns depend on each other, up to rounding, gradients are NaN.
---@param x kiln.Tensor|number
---@param some? boolean
---@return kiln.Tensor, kiln.Tensor
function kiln.qr(x, some) end

--- q and r of x = q r: q has orthonormal columns (all of them if not some), r is upper triangular. Where columns depend on each other, up to rounding, gradients are NaN.
---@param some? boolean
---@return kiln.Tensor, kiln.Tensor
function Tensor:qr(some) end

--- LAPACK's packed QR factors and the scales of its reflectors.
---@param x kiln.Tensor|number
---@return kiln.Tensor, kiln.Tensor
function kiln.geqrf(x) end

--- LAPACK's packed QR factors and the scales of its reflectors.
---@return kiln.Tensor, kiln.Tensor
function Tensor:geqrf() end

--- q of packed QR factors.
---@param x kiln.Tensor|number
---@param tau kiln.Tensor|number
---@return kiln.Tensor
function kiln.orgqr(x, tau) end

--- q of packed QR factors.
---@param tau kiln.Tensor|number
---@return kiln.Tensor
function Tensor:orgqr(tau) end

--- orgqr by its newer name.
---@param x kiln.Tensor|number
---@param tau kiln.Tensor|number
---@return kiln.Tensor
function kiln.householder_product(x, tau) end

--- orgqr by its newer name.
---@param tau kiln.Tensor|number
---@return kiln.Tensor
function Tensor:householder_product(tau) end

--- q mat (mat q if not left; q transposed if asked) for q of packed QR factors.
---@param x kiln.Tensor|number
---@param tau kiln.Tensor|number
---@param mat kiln.Tensor|number
---@param left? boolean
---@param transpose? boolean
---@return kiln.Tensor
function kiln.ormqr(x, tau, mat, left, transpose) end

--- q mat (mat q if not left; q transposed if asked) for q of packed QR factors.
---@param tau kiln.Tensor|number
---@param mat kiln.Tensor|number
---@param left? boolean
---@param transpose? boolean
---@return kiln.Tensor
function Tensor:ormqr(tau, mat, left, transpose) end

--- u, s, v of x = u diag(s) v^T, s from large to small; complete u and v if not some. Where two of s are equal up to rounding, gradients by u and v are NaN: these vectors are not determined.
---@param x kiln.Tensor|number
---@param some? boolean
---@return kiln.Tensor, kiln.Tensor, kiln.Tensor
function kiln.svd(x, some) end

--- u, s, v of x = u diag(s) v^T, s from large to small; complete u and v if not some. Where two of s are equal up to rounding, gradients by u and v are NaN: these vectors are not determined.
---@param some? boolean
---@return kiln.Tensor, kiln.Tensor, kiln.Tensor
function Tensor:svd(some) end

--- Eigenvalues, ascending, and eigenvectors (columns) of symmetric matrices, of which one triangle is read. Where two values are equal up to rounding, gradients by their vectors are NaN.
---@param x kiln.Tensor|number
---@param upper? boolean
---@return kiln.Tensor, kiln.Tensor
function kiln.symmetric_eig(x, upper) end

--- Eigenvalues, ascending, and eigenvectors (columns) of symmetric matrices, of which one triangle is read. Where two values are equal up to rounding, gradients by their vectors are NaN.
---@param upper? boolean
---@return kiln.Tensor, kiln.Tensor
function Tensor:symmetric_eig(upper) end

--- symmetric_eig; without eigenvectors the second result is empty.
---@param x kiln.Tensor|number
---@param eigenvectors? boolean
---@param upper? boolean
---@return kiln.Tensor
function kiln.symeig(x, eigenvectors, upper) end

--- symmetric_eig; without eigenvectors the second result is empty.
---@param eigenvectors? boolean
---@param upper? boolean
---@return kiln.Tensor
function Tensor:symeig(eigenvectors, upper) end

--- symmetric_eig of the lower (L) or upper triangle.
---@param x kiln.Tensor|number
---@param uplo? 'L'|'U'
---@return kiln.Tensor
function kiln.eigh(x, uplo) end

--- symmetric_eig of the lower (L) or upper triangle.
---@param uplo? 'L'|'U'
---@return kiln.Tensor
function Tensor:eigh(uplo) end

--- The eigenvalues that eigh gives.
---@param x kiln.Tensor|number
---@param uplo? 'L'|'U'
---@return kiln.Tensor
function kiln.eigvalsh(x, uplo) end

--- The eigenvalues that eigh gives.
---@param uplo? 'L'|'U'
---@return kiln.Tensor
function Tensor:eigvalsh(uplo) end

--- Eigenvalues [n, 2] (real and imaginary part) of square matrices and, if asked, eigenvectors as LAPACK packs them: a complex pair's two columns are the real and the imaginary part of the first. Where two values are equal up to rounding, gradients by their vectors are NaN.
---@param x kiln.Tensor|number
---@param eigenvectors? boolean
---@return kiln.Tensor, kiln.Tensor
function kiln.eig(x, eigenvectors) end

--- Eigenvalues [n, 2] (real and imaginary part) of square matrices and, if asked, eigenvectors as LAPACK packs them: a complex pair's two columns are the real and the imaginary part of the first. Where two values are equal up to rounding, gradients by their vectors are NaN.
---@param eigenvectors? boolean
---@return kiln.Tensor, kiln.Tensor
function Tensor:eig(eigenvectors) end

--- The n-th power of each square matrix; a negative n inverts first.
---@param x kiln.Tensor|number
---@param n integer
---@return kiln.Tensor
function kiln.matrix_power(x, n) end

--- The n-th power of each square matrix; a negative n inverts first.
---@param n integer
---@return kiln.Tensor
function Tensor:matrix_power(n) end

--- The pseudoinverse: singular values up to rcond times the largest count as 0. Its gradient is that of matrices of the same rank.
---@param x kiln.Tensor|number
---@param rcond? number
---@return kiln.Tensor
function kiln.pinverse(x, rcond) end

--- The pseudoinverse: singular values up to rcond times the largest count as 0. Its gradient is that of matrices of the same rank.
---@param rcond? number
---@return kiln.Tensor
function Tensor:pinverse(rcond) end

--- The pseudoinverse: singular values up to atol (0 without) and up to rtol times the largest count as 0; rtol is the larger size times the dtype's eps where neither is given. Of a symmetric matrix, if hermitian, the lower triangle is read. `rcond` is another name of the option `rtol`.
---@param x kiln.Tensor|number
---@param rtol? number
---@param hermitian? boolean
---@param atol? number
---@return kiln.Tensor
function kiln.pinv(x, rtol, hermitian, atol) end

--- The pseudoinverse: singular values up to atol (0 without) and up to rtol times the largest count as 0; rtol is the larger size times the dtype's eps where neither is given. Of a symmetric matrix, if hermitian, the lower triangle is read. `rcond` is another name of the option `rtol`.
---@param rtol? number
---@param hermitian? boolean
---@param atol? number
---@return kiln.Tensor
function Tensor:pinv(rtol, hermitian, atol) end

--- How many singular values are above tol (without: the largest times the larger size times the dtype's eps).
---@param x kiln.Tensor|number
---@param tol? number
---@param symmetric? boolean
---@return kiln.Tensor
function kiln.matrix_rank(x, tol, symmetric) end

--- How many singular values are above tol (without: the largest times the larger size times the dtype's eps).
---@param tol? number
---@param symmetric? boolean
---@return kiln.Tensor
function Tensor:matrix_rank(tol, symmetric) end

--- The singular values that svd gives.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.svdvals(x) end

--- The singular values that svd gives.
---@return kiln.Tensor
function Tensor:svdvals() end

--- The norm of matrices, which lie in two dims (the last ones): 'fro' (without p), 'nuc', 1 and -1 (the largest and the smallest sum of |x| of a column), inf and -inf (of a row), 2 and -2 (singular value).
---@param x kiln.Tensor|number
---@param p? any
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.matrix_norm(x, p, dims, keepdim) end

--- The norm of matrices, which lie in two dims (the last ones): 'fro' (without p), 'nuc', 1 and -1 (the largest and the smallest sum of |x| of a column), inf and -inf (of a row), 2 and -2 (singular value).
---@param p? any
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:matrix_norm(p, dims, keepdim) end

--- The condition number: the norm p (2 without; see matrix_norm) of x times that of its inverse.
---@param x kiln.Tensor|number
---@param p? any
---@return kiln.Tensor
function kiln.cond(x, p) end

--- The condition number: the norm p (2 without; see matrix_norm) of x times that of its inverse.
---@param p? any
---@return kiln.Tensor
function Tensor:cond(p) end

--- x of a x = b (x a = b if not left) for triangular a, of which only that triangle is read.
---@param a kiln.Tensor|number
---@param b kiln.Tensor|number
---@param upper boolean
---@param left? boolean
---@param unitriangular? boolean
---@return kiln.Tensor
function kiln.solve_triangular(a, b, upper, left, unitriangular) end

--- x of a x = b (x a = b if not left) for triangular a, of which only that triangle is read.
---@param b kiln.Tensor|number
---@param upper boolean
---@param left? boolean
---@param unitriangular? boolean
---@return kiln.Tensor
function Tensor:solve_triangular(b, upper, left, unitriangular) end

--- Powers of the elements of a vector, a row each: the n-1-th (n is the size of x without) down to 0, or up.
---@param x kiln.Tensor|number
---@param n? integer
---@param increasing? boolean
---@return kiln.Tensor
function kiln.vander(x, n, increasing) end

--- Powers of the elements of a vector, a row each: the n-1-th (n is the size of x without) down to 0, or up.
---@param n? integer
---@param increasing? boolean
---@return kiln.Tensor
function Tensor:vander(n, increasing) end

--- The exponential of each square matrix, by scaling, a Pade approximation and squaring.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.matrix_exp(x) end

--- The exponential of each square matrix, by scaling, a Pade approximation and squaring.
---@return kiln.Tensor
function Tensor:matrix_exp() end

--- The inverse of x read as a matrix whose rows are the first ind dims: what tensordot with x makes the identity.
---@param x kiln.Tensor|number
---@param ind? integer
---@return kiln.Tensor
function kiln.tensorinv(x, ind) end

--- The inverse of x read as a matrix whose rows are the first ind dims: what tensordot with x makes the identity.
---@param ind? integer
---@return kiln.Tensor
function Tensor:tensorinv(ind) end

--- x with tensordot(a, x, x:dim()) = b; dims of a go behind the others first.
---@param a kiln.Tensor|number
---@param b kiln.Tensor|number
---@param dims? integer[]|integer
---@return kiln.Tensor
function kiln.tensorsolve(a, b, dims) end

--- x with tensordot(a, x, x:dim()) = b; dims of a go behind the others first.
---@param b kiln.Tensor|number
---@param dims? integer[]|integer
---@return kiln.Tensor
function Tensor:tensorsolve(b, dims) end

--- matrix_exp.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.expm(x) end

--- matrix_exp.
---@return kiln.Tensor
function Tensor:expm() end

--- The vector product along a dim of size 3 (the first such dim, without one).
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param dim? integer
---@return kiln.Tensor
function kiln.cross(x, y, dim) end

--- The vector product along a dim of size 3 (the first such dim, without one).
---@param y kiln.Tensor|number
---@param dim? integer
---@return kiln.Tensor
function Tensor:cross(y, dim) end

--- The Kronecker product.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.kron(x, y) end

--- The Kronecker product.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:kron(y) end

--- Distances [n, m] of the rows of x [n, k] and y [m, k], batched; p names the norm.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param p? number
---@return kiln.Tensor
function kiln.cdist(x, y, p) end

--- Distances [n, m] of the rows of x [n, k] and y [m, k], batched; p names the norm.
---@param y kiln.Tensor|number
---@param p? number
---@return kiln.Tensor
function Tensor:cdist(y, p) end

--- Sums products over the last `dims` dims of x and the first of y (2 without), or over { dims of x, dims of y }; a size of 1 fits every size.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param dims? any
---@return kiln.Tensor
function kiln.tensordot(x, y, dims) end

--- Sums products over the last `dims` dims of x and the first of y (2 without), or over { dims of x, dims of y }; a size of 1 fits every size.
---@param y kiln.Tensor|number
---@param dims? any
---@return kiln.Tensor
function Tensor:tensordot(y, dims) end

--- Sums of products over the last dims of x and y; x * y if one has no dims.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.inner(x, y) end

--- Sums of products over the last dims of x and y; x * y if one has no dims.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:inner(y) end

--- The sum of x * y along dim, broadcast.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param dim? integer
---@return kiln.Tensor
function kiln.vecdot(x, y, dim) end

--- The sum of x * y along dim, broadcast.
---@param y kiln.Tensor|number
---@param dim? integer
---@return kiln.Tensor
function Tensor:vecdot(y, dim) end

--- The product of matrices, in the order that costs least; the first may be a row, the last a column vector.
---@param xs kiln.Tensor[]
---@return kiln.Tensor
function kiln.multi_dot(xs) end

--- The product of matrices, in the order that costs least; the first may be a row, the last a column vector.
---@param xs kiln.Tensor[]
---@return kiln.Tensor
function kiln.chain_matmul(xs) end

--- Distances of each two rows of a matrix, (1, 2), (1, 3), ..., as a vector.
---@param x kiln.Tensor|number
---@param p? number
---@return kiln.Tensor
function kiln.pdist(x, p) end

--- Distances of each two rows of a matrix, (1, 2), (1, 3), ..., as a vector.
---@param p? number
---@return kiln.Tensor
function Tensor:pdist(p) end

--- Products of tensors summed by Einstein's convention: einsum("ij,jk->ik", a, b); up to four tensors, or a list of them.
---@param equation? any
---@param x? any
---@param y? any
---@param z? any
---@param w? any
---@return kiln.Tensor
function kiln.einsum(equation, x, y, z, w) end

--- exp(x) over its sum along dim. The option `dtype` says what x is cast to first.
---@param x kiln.Tensor|number
---@param dim integer
---@return kiln.Tensor
function kiln.softmax(x, dim) end

--- exp(x) over its sum along dim. The option `dtype` says what x is cast to first.
---@param dim integer
---@return kiln.Tensor
function Tensor:softmax(dim) end

--- x less the logarithm of the sum of exp(x) along dim. The option `dtype` says what x is cast to first.
---@param x kiln.Tensor|number
---@param dim integer
---@return kiln.Tensor
function kiln.log_softmax(x, dim) end

--- x less the logarithm of the sum of exp(x) along dim. The option `dtype` says what x is cast to first.
---@param dim integer
---@return kiln.Tensor
function Tensor:log_softmax(dim) end

--- Logarithm of the sum of exp(x) over dims (all if empty).
---@param x kiln.Tensor|number
---@param dims integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.logsumexp(x, dims, keepdim) end

--- Logarithm of the sum of exp(x) over dims (all if empty).
---@param dims integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:logsumexp(dims, keepdim) end

--- softmax of -x.
---@param x kiln.Tensor|number
---@param dim integer
---@return kiln.Tensor
function kiln.softmin(x, dim) end

--- softmax of -x.
---@param dim integer
---@return kiln.Tensor
function Tensor:softmin(dim) end

--- softmax(scale q k') v, of q [..., L, E], k [..., S, E] and v [..., S, V]: [..., L, V]; and the logsumexp of each row of scores, [..., L], not below float32, without gradient.  causal: query i sees the keys up to i only.
---@param q kiln.Tensor|number
---@param k kiln.Tensor|number
---@param v kiln.Tensor|number
---@param scale number
---@param causal? boolean
---@return kiln.Tensor, kiln.Tensor
function kiln.attention(q, k, v, scale, causal) end

--- softmax(scale q k') v, of q [..., L, E], k [..., S, E] and v [..., S, V]: [..., L, V]; and the logsumexp of each row of scores, [..., L], not below float32, without gradient.  causal: query i sees the keys up to i only.
---@param k kiln.Tensor|number
---@param v kiln.Tensor|number
---@param scale number
---@param causal? boolean
---@return kiln.Tensor, kiln.Tensor
function Tensor:attention(k, v, scale, causal) end

--- Convolution of x [n, c, 1 to 3 spatial dims] with weight [out, c / groups, kernel], or transposed with weight [c, out / groups, kernel].
---@param x kiln.Tensor|number
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride integer[]|integer
---@param padding integer[]|integer
---@param dilation integer[]|integer
---@param transposed boolean
---@param output_padding integer[]|integer
---@param groups integer
---@return kiln.Tensor
function kiln.convolution(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups) end

--- Convolution of x [n, c, 1 to 3 spatial dims] with weight [out, c / groups, kernel], or transposed with weight [c, out / groups, kernel].
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride integer[]|integer
---@param padding integer[]|integer
---@param dilation integer[]|integer
---@param transposed boolean
---@param output_padding integer[]|integer
---@param groups integer
---@return kiln.Tensor
function Tensor:convolution(weight, bias, stride, padding, dilation, transposed, output_padding, groups) end

--- The gradient of a convolution's input, of the given size: what transposed convolution computes.
---@param g kiln.Tensor|number
---@param weight kiln.Tensor|number
---@param size integer[]|integer
---@param stride integer[]|integer
---@param padding integer[]|integer
---@param dilation integer[]|integer
---@param groups integer
---@return kiln.Tensor
function kiln.convolution_dx(g, weight, size, stride, padding, dilation, groups) end

--- The gradient of a convolution's input, of the given size: what transposed convolution computes.
---@param weight kiln.Tensor|number
---@param size integer[]|integer
---@param stride integer[]|integer
---@param padding integer[]|integer
---@param dilation integer[]|integer
---@param groups integer
---@return kiln.Tensor
function Tensor:convolution_dx(weight, size, stride, padding, dilation, groups) end

--- The gradient of a convolution's weight, of the given size.
---@param g kiln.Tensor|number
---@param x kiln.Tensor|number
---@param size integer[]|integer
---@param stride integer[]|integer
---@param padding integer[]|integer
---@param dilation integer[]|integer
---@param groups integer
---@return kiln.Tensor
function kiln.convolution_dw(g, x, size, stride, padding, dilation, groups) end

--- The gradient of a convolution's weight, of the given size.
---@param x kiln.Tensor|number
---@param size integer[]|integer
---@param stride integer[]|integer
---@param padding integer[]|integer
---@param dilation integer[]|integer
---@param groups integer
---@return kiln.Tensor
function Tensor:convolution_dw(x, size, stride, padding, dilation, groups) end

--- Convolution over [n, c, l]; stride, padding and dilation are numbers or lists (default 1, 0, 1), padding also 'same' or 'valid'.
---@param x kiln.Tensor|number
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride? any
---@param padding? any
---@param dilation? any
---@param groups? integer
---@return kiln.Tensor
function kiln.conv1d(x, weight, bias, stride, padding, dilation, groups) end

--- Convolution over [n, c, l]; stride, padding and dilation are numbers or lists (default 1, 0, 1), padding also 'same' or 'valid'.
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride? any
---@param padding? any
---@param dilation? any
---@param groups? integer
---@return kiln.Tensor
function Tensor:conv1d(weight, bias, stride, padding, dilation, groups) end

--- Transposed convolution over [n, c, l], the gradient of conv1d.
---@param x kiln.Tensor|number
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride? any
---@param padding? any
---@param output_padding? any
---@param groups? integer
---@param dilation? any
---@return kiln.Tensor
function kiln.conv_transpose1d(x, weight, bias, stride, padding, output_padding, groups, dilation) end

--- Transposed convolution over [n, c, l], the gradient of conv1d.
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride? any
---@param padding? any
---@param output_padding? any
---@param groups? integer
---@param dilation? any
---@return kiln.Tensor
function Tensor:conv_transpose1d(weight, bias, stride, padding, output_padding, groups, dilation) end

--- Convolution over [n, c, h, w]; stride, padding and dilation are numbers or lists (default 1, 0, 1), padding also 'same' or 'valid'.
---@param x kiln.Tensor|number
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride? any
---@param padding? any
---@param dilation? any
---@param groups? integer
---@return kiln.Tensor
function kiln.conv2d(x, weight, bias, stride, padding, dilation, groups) end

--- Convolution over [n, c, h, w]; stride, padding and dilation are numbers or lists (default 1, 0, 1), padding also 'same' or 'valid'.
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride? any
---@param padding? any
---@param dilation? any
---@param groups? integer
---@return kiln.Tensor
function Tensor:conv2d(weight, bias, stride, padding, dilation, groups) end

--- Transposed convolution over [n, c, h, w], the gradient of conv2d.
---@param x kiln.Tensor|number
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride? any
---@param padding? any
---@param output_padding? any
---@param groups? integer
---@param dilation? any
---@return kiln.Tensor
function kiln.conv_transpose2d(x, weight, bias, stride, padding, output_padding, groups, dilation) end

--- Transposed convolution over [n, c, h, w], the gradient of conv2d.
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride? any
---@param padding? any
---@param output_padding? any
---@param groups? integer
---@param dilation? any
---@return kiln.Tensor
function Tensor:conv_transpose2d(weight, bias, stride, padding, output_padding, groups, dilation) end

--- Convolution over [n, c, d, h, w]; stride, padding and dilation are numbers or lists (default 1, 0, 1), padding also 'same' or 'valid'.
---@param x kiln.Tensor|number
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride? any
---@param padding? any
---@param dilation? any
---@param groups? integer
---@return kiln.Tensor
function kiln.conv3d(x, weight, bias, stride, padding, dilation, groups) end

--- Convolution over [n, c, d, h, w]; stride, padding and dilation are numbers or lists (default 1, 0, 1), padding also 'same' or 'valid'.
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride? any
---@param padding? any
---@param dilation? any
---@param groups? integer
---@return kiln.Tensor
function Tensor:conv3d(weight, bias, stride, padding, dilation, groups) end

--- Transposed convolution over [n, c, d, h, w], the gradient of conv3d.
---@param x kiln.Tensor|number
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride? any
---@param padding? any
---@param output_padding? any
---@param groups? integer
---@param dilation? any
---@return kiln.Tensor
function kiln.conv_transpose3d(x, weight, bias, stride, padding, output_padding, groups, dilation) end

--- Transposed convolution over [n, c, d, h, w], the gradient of conv3d.
---@param weight kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param stride? any
---@param padding? any
---@param output_padding? any
---@param groups? integer
---@param dilation? any
---@return kiln.Tensor
function Tensor:conv_transpose3d(weight, bias, stride, padding, output_padding, groups, dilation) end

--- The largest value of each window and its position; the number of entries in size says over how many dims.
---@param x kiln.Tensor|number
---@param size integer[]|integer
---@param stride integer[]|integer
---@param padding integer[]|integer
---@param dilation integer[]|integer
---@param ceil_mode? boolean
---@return kiln.Tensor, kiln.Tensor
function kiln.max_pool(x, size, stride, padding, dilation, ceil_mode) end

--- The largest value of each window and its position; the number of entries in size says over how many dims.
---@param size integer[]|integer
---@param stride integer[]|integer
---@param padding integer[]|integer
---@param dilation integer[]|integer
---@param ceil_mode? boolean
---@return kiln.Tensor, kiln.Tensor
function Tensor:max_pool(size, stride, padding, dilation, ceil_mode) end

--- The largest value, and its position, of each of `size` windows that cover a dim.
---@param x kiln.Tensor|number
---@param size integer[]|integer
---@return kiln.Tensor, kiln.Tensor
function kiln.adaptive_max_pool(x, size) end

--- The largest value, and its position, of each of `size` windows that cover a dim.
---@param size integer[]|integer
---@return kiln.Tensor, kiln.Tensor
function Tensor:adaptive_max_pool(size) end

--- Maximum over windows of the given size at pseudo-random steps: x [n, c, h, w] with samples [n, c, 2] in [0, 1), for w and h, or x [n, c, d, h, w] with samples [n, c, 3], for d, h and w.
---@param x kiln.Tensor|number
---@param samples kiln.Tensor|number
---@param size integer[]|integer
---@param output_size integer[]|integer
---@return kiln.Tensor, kiln.Tensor
function kiln.fractional_max_pool(x, samples, size, output_size) end

--- Maximum over windows of the given size at pseudo-random steps: x [n, c, h, w] with samples [n, c, 2] in [0, 1), for w and h, or x [n, c, d, h, w] with samples [n, c, 3], for d, h and w.
---@param samples kiln.Tensor|number
---@param size integer[]|integer
---@param output_size integer[]|integer
---@return kiln.Tensor, kiln.Tensor
function Tensor:fractional_max_pool(samples, size, output_size) end

--- Planes of the given size, zero but for x at its positions; the last of equal positions stays, or all add up.
---@param x kiln.Tensor|number
---@param positions kiln.Tensor
---@param size integer[]|integer
---@param add? boolean
---@return kiln.Tensor
function kiln.max_unpool(x, positions, size, add) end

--- Planes of the given size, zero but for x at its positions; the last of equal positions stays, or all add up.
---@param positions kiln.Tensor
---@param size integer[]|integer
---@param add? boolean
---@return kiln.Tensor
function Tensor:max_unpool(positions, size, add) end

--- The mean of each window (the sum over divisor, if given), padding counted or not.
---@param x kiln.Tensor|number
---@param size integer[]|integer
---@param stride integer[]|integer
---@param padding integer[]|integer
---@param ceil_mode? boolean
---@param count_include_pad? boolean
---@param divisor? integer
---@return kiln.Tensor
function kiln.avg_pool(x, size, stride, padding, ceil_mode, count_include_pad, divisor) end

--- The mean of each window (the sum over divisor, if given), padding counted or not.
---@param size integer[]|integer
---@param stride integer[]|integer
---@param padding integer[]|integer
---@param ceil_mode? boolean
---@param count_include_pad? boolean
---@param divisor? integer
---@return kiln.Tensor
function Tensor:avg_pool(size, stride, padding, ceil_mode, count_include_pad, divisor) end

--- The mean of each of `size` windows that cover a dim.
---@param x kiln.Tensor|number
---@param size integer[]|integer
---@return kiln.Tensor
function kiln.adaptive_avg_pool(x, size) end

--- The mean of each of `size` windows that cover a dim.
---@param size integer[]|integer
---@return kiln.Tensor
function Tensor:adaptive_avg_pool(size) end

--- The largest value of each window (stride: kernel_size unless given), and its position if return_indices.
---@param x kiln.Tensor|number
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param dilation? any
---@param ceil_mode? boolean
---@param return_indices? boolean
---@return kiln.Tensor
function kiln.max_pool1d(x, kernel_size, stride, padding, dilation, ceil_mode, return_indices) end

--- The largest value of each window (stride: kernel_size unless given), and its position if return_indices.
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param dilation? any
---@param ceil_mode? boolean
---@param return_indices? boolean
---@return kiln.Tensor
function Tensor:max_pool1d(kernel_size, stride, padding, dilation, ceil_mode, return_indices) end

--- The mean of each window (stride: kernel_size unless given).
---@param x kiln.Tensor|number
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param ceil_mode? boolean
---@param count_include_pad? boolean
---@param divisor_override? integer
---@return kiln.Tensor
function kiln.avg_pool1d(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override) end

--- The mean of each window (stride: kernel_size unless given).
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param ceil_mode? boolean
---@param count_include_pad? boolean
---@param divisor_override? integer
---@return kiln.Tensor
function Tensor:avg_pool1d(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override) end

--- The largest value of each of output_size windows, and its position if return_indices.
---@param x kiln.Tensor|number
---@param output_size? any
---@param return_indices? boolean
---@return kiln.Tensor
function kiln.adaptive_max_pool1d(x, output_size, return_indices) end

--- The largest value of each of output_size windows, and its position if return_indices.
---@param output_size? any
---@param return_indices? boolean
---@return kiln.Tensor
function Tensor:adaptive_max_pool1d(output_size, return_indices) end

--- The mean of each of output_size windows.
---@param x kiln.Tensor|number
---@param output_size? any
---@return kiln.Tensor
function kiln.adaptive_avg_pool1d(x, output_size) end

--- The mean of each of output_size windows.
---@param output_size? any
---@return kiln.Tensor
function Tensor:adaptive_avg_pool1d(output_size) end

--- The inverse of max pooling: zeros but for x at the positions where it came from.
---@param x kiln.Tensor|number
---@param indices kiln.Tensor
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param output_size? any
---@return kiln.Tensor
function kiln.max_unpool1d(x, indices, kernel_size, stride, padding, output_size) end

--- The inverse of max pooling: zeros but for x at the positions where it came from.
---@param indices kiln.Tensor
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param output_size? any
---@return kiln.Tensor
function Tensor:max_unpool1d(indices, kernel_size, stride, padding, output_size) end

--- The p-norm of each window, p = norm_type; infinite p give the largest and the smallest magnitude.
---@param x kiln.Tensor|number
---@param norm_type number
---@param kernel_size? any
---@param stride? any
---@param ceil_mode? boolean
---@return kiln.Tensor
function kiln.lp_pool1d(x, norm_type, kernel_size, stride, ceil_mode) end

--- The p-norm of each window, p = norm_type; infinite p give the largest and the smallest magnitude.
---@param norm_type number
---@param kernel_size? any
---@param stride? any
---@param ceil_mode? boolean
---@return kiln.Tensor
function Tensor:lp_pool1d(norm_type, kernel_size, stride, ceil_mode) end

--- The largest value of each window (stride: kernel_size unless given), and its position if return_indices.
---@param x kiln.Tensor|number
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param dilation? any
---@param ceil_mode? boolean
---@param return_indices? boolean
---@return kiln.Tensor
function kiln.max_pool2d(x, kernel_size, stride, padding, dilation, ceil_mode, return_indices) end

--- The largest value of each window (stride: kernel_size unless given), and its position if return_indices.
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param dilation? any
---@param ceil_mode? boolean
---@param return_indices? boolean
---@return kiln.Tensor
function Tensor:max_pool2d(kernel_size, stride, padding, dilation, ceil_mode, return_indices) end

--- The mean of each window (stride: kernel_size unless given).
---@param x kiln.Tensor|number
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param ceil_mode? boolean
---@param count_include_pad? boolean
---@param divisor_override? integer
---@return kiln.Tensor
function kiln.avg_pool2d(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override) end

--- The mean of each window (stride: kernel_size unless given).
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param ceil_mode? boolean
---@param count_include_pad? boolean
---@param divisor_override? integer
---@return kiln.Tensor
function Tensor:avg_pool2d(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override) end

--- The largest value of each of output_size windows, and its position if return_indices.
---@param x kiln.Tensor|number
---@param output_size? any
---@param return_indices? boolean
---@return kiln.Tensor
function kiln.adaptive_max_pool2d(x, output_size, return_indices) end

--- The largest value of each of output_size windows, and its position if return_indices.
---@param output_size? any
---@param return_indices? boolean
---@return kiln.Tensor
function Tensor:adaptive_max_pool2d(output_size, return_indices) end

--- The mean of each of output_size windows.
---@param x kiln.Tensor|number
---@param output_size? any
---@return kiln.Tensor
function kiln.adaptive_avg_pool2d(x, output_size) end

--- The mean of each of output_size windows.
---@param output_size? any
---@return kiln.Tensor
function Tensor:adaptive_avg_pool2d(output_size) end

--- The inverse of max pooling: zeros but for x at the positions where it came from.
---@param x kiln.Tensor|number
---@param indices kiln.Tensor
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param output_size? any
---@return kiln.Tensor
function kiln.max_unpool2d(x, indices, kernel_size, stride, padding, output_size) end

--- The inverse of max pooling: zeros but for x at the positions where it came from.
---@param indices kiln.Tensor
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param output_size? any
---@return kiln.Tensor
function Tensor:max_unpool2d(indices, kernel_size, stride, padding, output_size) end

--- The p-norm of each window, p = norm_type; infinite p give the largest and the smallest magnitude.
---@param x kiln.Tensor|number
---@param norm_type number
---@param kernel_size? any
---@param stride? any
---@param ceil_mode? boolean
---@return kiln.Tensor
function kiln.lp_pool2d(x, norm_type, kernel_size, stride, ceil_mode) end

--- The p-norm of each window, p = norm_type; infinite p give the largest and the smallest magnitude.
---@param norm_type number
---@param kernel_size? any
---@param stride? any
---@param ceil_mode? boolean
---@return kiln.Tensor
function Tensor:lp_pool2d(norm_type, kernel_size, stride, ceil_mode) end

--- The largest value of each window (stride: kernel_size unless given), and its position if return_indices.
---@param x kiln.Tensor|number
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param dilation? any
---@param ceil_mode? boolean
---@param return_indices? boolean
---@return kiln.Tensor
function kiln.max_pool3d(x, kernel_size, stride, padding, dilation, ceil_mode, return_indices) end

--- The largest value of each window (stride: kernel_size unless given), and its position if return_indices.
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param dilation? any
---@param ceil_mode? boolean
---@param return_indices? boolean
---@return kiln.Tensor
function Tensor:max_pool3d(kernel_size, stride, padding, dilation, ceil_mode, return_indices) end

--- The mean of each window (stride: kernel_size unless given).
---@param x kiln.Tensor|number
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param ceil_mode? boolean
---@param count_include_pad? boolean
---@param divisor_override? integer
---@return kiln.Tensor
function kiln.avg_pool3d(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override) end

--- The mean of each window (stride: kernel_size unless given).
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param ceil_mode? boolean
---@param count_include_pad? boolean
---@param divisor_override? integer
---@return kiln.Tensor
function Tensor:avg_pool3d(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override) end

--- The largest value of each of output_size windows, and its position if return_indices.
---@param x kiln.Tensor|number
---@param output_size? any
---@param return_indices? boolean
---@return kiln.Tensor
function kiln.adaptive_max_pool3d(x, output_size, return_indices) end

--- The largest value of each of output_size windows, and its position if return_indices.
---@param output_size? any
---@param return_indices? boolean
---@return kiln.Tensor
function Tensor:adaptive_max_pool3d(output_size, return_indices) end

--- The mean of each of output_size windows.
---@param x kiln.Tensor|number
---@param output_size? any
---@return kiln.Tensor
function kiln.adaptive_avg_pool3d(x, output_size) end

--- The mean of each of output_size windows.
---@param output_size? any
---@return kiln.Tensor
function Tensor:adaptive_avg_pool3d(output_size) end

--- The inverse of max pooling: zeros but for x at the positions where it came from.
---@param x kiln.Tensor|number
---@param indices kiln.Tensor
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param output_size? any
---@return kiln.Tensor
function kiln.max_unpool3d(x, indices, kernel_size, stride, padding, output_size) end

--- The inverse of max pooling: zeros but for x at the positions where it came from.
---@param indices kiln.Tensor
---@param kernel_size? any
---@param stride? any
---@param padding? any
---@param output_size? any
---@return kiln.Tensor
function Tensor:max_unpool3d(indices, kernel_size, stride, padding, output_size) end

--- The p-norm of each window, p = norm_type; infinite p give the largest and the smallest magnitude.
---@param x kiln.Tensor|number
---@param norm_type number
---@param kernel_size? any
---@param stride? any
---@param ceil_mode? boolean
---@return kiln.Tensor
function kiln.lp_pool3d(x, norm_type, kernel_size, stride, ceil_mode) end

--- The p-norm of each window, p = norm_type; infinite p give the largest and the smallest magnitude.
---@param norm_type number
---@param kernel_size? any
---@param stride? any
---@param ceil_mode? boolean
---@return kiln.Tensor
function Tensor:lp_pool3d(norm_type, kernel_size, stride, ceil_mode) end

--- Maximum over windows at pseudo-random steps (Graham 2014); give output_size or output_ratio.
---@param x kiln.Tensor|number
---@param kernel_size? any
---@param output_size? any
---@param output_ratio? any
---@param return_indices? boolean
---@param random_samples? kiln.Tensor|number
---@return kiln.Tensor
function kiln.fractional_max_pool2d(x, kernel_size, output_size, output_ratio, return_indices, random_samples) end

--- Maximum over windows at pseudo-random steps (Graham 2014); give output_size or output_ratio.
---@param kernel_size? any
---@param output_size? any
---@param output_ratio? any
---@param return_indices? boolean
---@param random_samples? kiln.Tensor|number
---@return kiln.Tensor
function Tensor:fractional_max_pool2d(kernel_size, output_size, output_ratio, return_indices, random_samples) end

--- Maximum over windows at pseudo-random steps (Graham 2014); give output_size or output_ratio.
---@param x kiln.Tensor|number
---@param kernel_size? any
---@param output_size? any
---@param output_ratio? any
---@param return_indices? boolean
---@param random_samples? kiln.Tensor|number
---@return kiln.Tensor
function kiln.fractional_max_pool3d(x, kernel_size, output_size, output_ratio, return_indices, random_samples) end

--- Maximum over windows at pseudo-random steps (Graham 2014); give output_size or output_ratio.
---@param kernel_size? any
---@param output_size? any
---@param output_ratio? any
---@param return_indices? boolean
---@param random_samples? kiln.Tensor|number
---@return kiln.Tensor
function Tensor:fractional_max_pool3d(kernel_size, output_size, output_ratio, return_indices, random_samples) end

--- x normalised over all dims but the second; also gives the mean and the (biased) variance, not below float32.
---@param x kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param eps? number
---@return kiln.Tensor, kiln.Tensor, kiln.Tensor
function kiln.batch_norm_train(x, weight, bias, eps) end

--- x normalised over all dims but the second; also gives the mean and the (biased) variance, not below float32.
---@param weight? kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param eps? number
---@return kiln.Tensor, kiln.Tensor, kiln.Tensor
function Tensor:batch_norm_train(weight, bias, eps) end

--- x normalised by the given mean and variance of each entry of its second dim.
---@param x kiln.Tensor|number
---@param mean kiln.Tensor|number
---@param var kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param eps? number
---@return kiln.Tensor
function kiln.batch_norm_eval(x, mean, var, weight, bias, eps) end

--- x normalised by the given mean and variance of each entry of its second dim.
---@param mean kiln.Tensor|number
---@param var kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param eps? number
---@return kiln.Tensor
function Tensor:batch_norm_eval(mean, var, weight, bias, eps) end

--- Batch normalisation; training uses the batch's statistics and updates the running ones in place.
---@param x kiln.Tensor|number
---@param running_mean? kiln.Tensor|number
---@param running_var? kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param training? boolean
---@param momentum? number
---@param eps? number
---@return kiln.Tensor
function kiln.batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps) end

--- Batch normalisation; training uses the batch's statistics and updates the running ones in place.
---@param running_mean? kiln.Tensor|number
---@param running_var? kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param training? boolean
---@param momentum? number
---@param eps? number
---@return kiln.Tensor
function Tensor:batch_norm(running_mean, running_var, weight, bias, training, momentum, eps) end

--- x normalised over its last dims, which have the shape normalized_shape, like weight and bias.
---@param x kiln.Tensor|number
---@param normalized_shape integer[]|integer
---@param weight? kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param eps? number
---@return kiln.Tensor
function kiln.layer_norm(x, normalized_shape, weight, bias, eps) end

--- x normalised over its last dims, which have the shape normalized_shape, like weight and bias.
---@param normalized_shape integer[]|integer
---@param weight? kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param eps? number
---@return kiln.Tensor
function Tensor:layer_norm(normalized_shape, weight, bias, eps) end

--- x over the root of the mean square of its last dims, which have the shape normalized_shape.
---@param x kiln.Tensor|number
---@param normalized_shape integer[]|integer
---@param weight? kiln.Tensor|number
---@param eps? number
---@return kiln.Tensor
function kiln.rms_norm(x, normalized_shape, weight, eps) end

--- x over the root of the mean square of its last dims, which have the shape normalized_shape.
---@param normalized_shape integer[]|integer
---@param weight? kiln.Tensor|number
---@param eps? number
---@return kiln.Tensor
function Tensor:rms_norm(normalized_shape, weight, eps) end

--- x [n, c, ...] normalised over each sample's groups of channels; weight and bias go by channel.
---@param x kiln.Tensor|number
---@param num_groups integer
---@param weight? kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param eps? number
---@return kiln.Tensor
function kiln.group_norm(x, num_groups, weight, bias, eps) end

--- x [n, c, ...] normalised over each sample's groups of channels; weight and bias go by channel.
---@param num_groups integer
---@param weight? kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param eps? number
---@return kiln.Tensor
function Tensor:group_norm(num_groups, weight, bias, eps) end

--- x [n, c, ...] normalised over each channel of each sample; updates running statistics in place.
---@param x kiln.Tensor|number
---@param running_mean? kiln.Tensor|number
---@param running_var? kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param use_input_stats? boolean
---@param momentum? number
---@param eps? number
---@return kiln.Tensor
function kiln.instance_norm(x, running_mean, running_var, weight, bias, use_input_stats, momentum, eps) end

--- x [n, c, ...] normalised over each channel of each sample; updates running statistics in place.
---@param running_mean? kiln.Tensor|number
---@param running_var? kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param bias? kiln.Tensor|number
---@param use_input_stats? boolean
---@param momentum? number
---@param eps? number
---@return kiln.Tensor
function Tensor:instance_norm(running_mean, running_var, weight, bias, use_input_stats, momentum, eps) end

--- x over (k + alpha * the mean square of `size` neighbouring channels) ^ beta.
---@param x kiln.Tensor|number
---@param size integer
---@param alpha? number
---@param beta? number
---@param k? number
---@return kiln.Tensor
function kiln.local_response_norm(x, size, alpha, beta, k) end

--- x over (k + alpha * the mean square of `size` neighbouring channels) ^ beta.
---@param size integer
---@param alpha? number
---@param beta? number
---@param k? number
---@return kiln.Tensor
function Tensor:local_response_norm(size, alpha, beta, k) end

--- (x - y)^2.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.squared_error(x, y) end

--- (x - y)^2.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:squared_error(y) end

--- (x - y)^2.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:squared_error_(y) end

--- |x - y|.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.absolute_error(x, y) end

--- |x - y|.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:absolute_error(y) end

--- |x - y|.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:absolute_error_(y) end

--- (x - y)^2 / (2 beta) where |x - y| < beta, else |x - y| - beta / 2.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param beta? number
---@return kiln.Tensor
function kiln.smooth_l1_error(x, y, beta) end

--- (x - y)^2 / (2 beta) where |x - y| < beta, else |x - y| - beta / 2.
---@param y kiln.Tensor|number
---@param beta? number
---@return kiln.Tensor
function Tensor:smooth_l1_error(y, beta) end

--- (x - y)^2 / (2 beta) where |x - y| < beta, else |x - y| - beta / 2.
---@param y kiln.Tensor|number
---@param beta? number
---@return kiln.Tensor
function Tensor:smooth_l1_error_(y, beta) end

--- (x - y)^2 / 2 where |x - y| <= delta, else delta (|x - y| - delta / 2).
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param delta? number
---@return kiln.Tensor
function kiln.huber_error(x, y, delta) end

--- (x - y)^2 / 2 where |x - y| <= delta, else delta (|x - y| - delta / 2).
---@param y kiln.Tensor|number
---@param delta? number
---@return kiln.Tensor
function Tensor:huber_error(y, delta) end

--- (x - y)^2 / 2 where |x - y| <= delta, else delta (|x - y| - delta / 2).
---@param y kiln.Tensor|number
---@param delta? number
---@return kiln.Tensor
function Tensor:huber_error_(y, delta) end

--- -(y log x + (1 - y) log(1 - x)), logarithms not below -100; NaN for x outside of 0..1.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.bernoulli_nll(x, y) end

--- -(y log x + (1 - y) log(1 - x)), logarithms not below -100; NaN for x outside of 0..1.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bernoulli_nll(y) end

--- -(y log x + (1 - y) log(1 - x)), logarithms not below -100; NaN for x outside of 0..1.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bernoulli_nll_(y) end

--- bernoulli_nll of sigmoid(x), without overflow.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.bernoulli_nll_logits(x, y) end

--- bernoulli_nll of sigmoid(x), without overflow.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bernoulli_nll_logits(y) end

--- bernoulli_nll of sigmoid(x), without overflow.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bernoulli_nll_logits_(y) end

--- bernoulli_nll_logits with the term of y = 1 weighted.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param pos_weight kiln.Tensor|number
---@return kiln.Tensor
function kiln.bernoulli_nll_weighted(x, y, pos_weight) end

--- bernoulli_nll_logits with the term of y = 1 weighted.
---@param y kiln.Tensor|number
---@param pos_weight kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bernoulli_nll_weighted(y, pos_weight) end

--- bernoulli_nll_logits with the term of y = 1 weighted.
---@param y kiln.Tensor|number
---@param pos_weight kiln.Tensor|number
---@return kiln.Tensor
function Tensor:bernoulli_nll_weighted_(y, pos_weight) end

--- y (log y - x), 0 where y is 0, NaN below: x is a log-probability, y a probability.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.kl_error(x, y) end

--- y (log y - x), 0 where y is 0, NaN below: x is a log-probability, y a probability.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:kl_error(y) end

--- y (log y - x), 0 where y is 0, NaN below: x is a log-probability, y a probability.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:kl_error_(y) end

--- exp(y) (y - x): both are log-probabilities.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.kl_error_log(x, y) end

--- exp(y) (y - x): both are log-probabilities.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:kl_error_log(y) end

--- exp(y) (y - x): both are log-probabilities.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:kl_error_log_(y) end

--- log(1 + exp(-x y)), without overflow.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@return kiln.Tensor
function kiln.soft_margin_error(x, y) end

--- log(1 + exp(-x y)), without overflow.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:soft_margin_error(y) end

--- log(1 + exp(-x y)), without overflow.
---@param y kiln.Tensor|number
---@return kiln.Tensor
function Tensor:soft_margin_error_(y) end

--- -x at the target class, x [n, c, ...] log-probabilities; smoothing gives that share to all classes; a mean divides by the weights of the targets.
---@param x kiln.Tensor|number
---@param target kiln.Tensor
---@param weight? kiln.Tensor|number
---@param smoothing? number
---@param ignore_index? integer
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.class_nll(x, target, weight, smoothing, ignore_index, reduction) end

--- -x at the target class, x [n, c, ...] log-probabilities; smoothing gives that share to all classes; a mean divides by the weights of the targets.
---@param target kiln.Tensor
---@param weight? kiln.Tensor|number
---@param smoothing? number
---@param ignore_index? integer
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:class_nll(target, weight, smoothing, ignore_index, reduction) end

--- class_nll of log_softmax(x), x [n, c], and the logsumexp of each row, not below float32.
---@param x kiln.Tensor|number
---@param target kiln.Tensor
---@param weight? kiln.Tensor|number
---@param smoothing? number
---@param ignore_index? integer
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor, kiln.Tensor
function kiln.softmax_nll(x, target, weight, smoothing, ignore_index, reduction) end

--- class_nll of log_softmax(x), x [n, c], and the logsumexp of each row, not below float32.
---@param target kiln.Tensor
---@param weight? kiln.Tensor|number
---@param smoothing? number
---@param ignore_index? integer
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor, kiln.Tensor
function Tensor:softmax_nll(target, weight, smoothing, ignore_index, reduction) end

--- The sum of max(0, 1 - (x at a target - x at another class)) over c, x [n, c]; targets of a row end at a 0. Also gives its slope.
---@param x kiln.Tensor|number
---@param target kiln.Tensor
---@return kiln.Tensor, kiln.Tensor
function kiln.multilabel_margin(x, target) end

--- The sum of max(0, 1 - (x at a target - x at another class)) over c, x [n, c]; targets of a row end at a 0. Also gives its slope.
---@param target kiln.Tensor
---@return kiln.Tensor, kiln.Tensor
function Tensor:multilabel_margin(target) end

--- The mean of (x - target)^2.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.mse_loss(x, target, size_average, reduce, reduction) end

--- The mean of (x - target)^2.
---@param target kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:mse_loss(target, size_average, reduce, reduction) end

--- The mean of |x - target|.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.l1_loss(x, target, size_average, reduce, reduction) end

--- The mean of |x - target|.
---@param target kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:l1_loss(target, size_average, reduce, reduction) end

--- The mean of log(1 + exp(-target x)), target 1 or -1.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.soft_margin_loss(x, target, size_average, reduce, reduction) end

--- The mean of log(1 + exp(-target x)), target 1 or -1.
---@param target kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:soft_margin_loss(target, size_average, reduce, reduction) end

--- The mean of an error that is quadratic below beta and linear above.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@param beta? number
---@return kiln.Tensor
function kiln.smooth_l1_loss(x, target, size_average, reduce, reduction, beta) end

--- The mean of an error that is quadratic below beta and linear above.
---@param target kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@param beta? number
---@return kiln.Tensor
function Tensor:smooth_l1_loss(target, size_average, reduce, reduction, beta) end

--- The mean of an error that is quadratic up to delta and linear above, smooth_l1_loss times delta.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param reduction? 'mean'|'sum'|'none'
---@param delta? number
---@return kiln.Tensor
function kiln.huber_loss(x, target, reduction, delta) end

--- The mean of an error that is quadratic up to delta and linear above, smooth_l1_loss times delta.
---@param target kiln.Tensor|number
---@param reduction? 'mean'|'sum'|'none'
---@param delta? number
---@return kiln.Tensor
function Tensor:huber_loss(target, reduction, delta) end

--- exp(x) - target x (x - target log(x + eps) unless log_input), with Stirling's term if full.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param log_input? boolean
---@param full? boolean
---@param eps? number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.poisson_nll_loss(x, target, log_input, full, eps, size_average, reduce, reduction) end

--- exp(x) - target x (x - target log(x + eps) unless log_input), with Stirling's term if full.
---@param target kiln.Tensor|number
---@param log_input? boolean
---@param full? boolean
---@param eps? number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:poisson_nll_loss(target, log_input, full, eps, size_average, reduce, reduction) end

--- (log var + (x - target)^2 / var) / 2, var not below eps; with log(2 pi) / 2 if full.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param var kiln.Tensor|number
---@param full? boolean
---@param eps? number
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.gaussian_nll_loss(x, target, var, full, eps, reduction) end

--- (log var + (x - target)^2 / var) / 2, var not below eps; with log(2 pi) / 2 if full.
---@param target kiln.Tensor|number
---@param var kiln.Tensor|number
---@param full? boolean
---@param eps? number
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:gaussian_nll_loss(target, var, full, eps, reduction) end

--- The mean of -(target log x + (1 - target) log(1 - x)), x a probability.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.binary_cross_entropy(x, target, weight, size_average, reduce, reduction) end

--- The mean of -(target log x + (1 - target) log(1 - x)), x a probability.
---@param target kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:binary_cross_entropy(target, weight, size_average, reduce, reduction) end

--- binary_cross_entropy of sigmoid(x), without overflow; pos_weight weighs target = 1.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@param pos_weight? kiln.Tensor|number
---@return kiln.Tensor
function kiln.binary_cross_entropy_with_logits(x, target, weight, size_average, reduce, reduction, pos_weight) end

--- binary_cross_entropy of sigmoid(x), without overflow; pos_weight weighs target = 1.
---@param target kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@param pos_weight? kiln.Tensor|number
---@return kiln.Tensor
function Tensor:binary_cross_entropy_with_logits(target, weight, size_average, reduce, reduction, pos_weight) end

--- The mean of target (log target - x), x log-probabilities; 'batchmean' divides by the batch alone.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'|'batchmean'
---@param log_target? boolean
---@return kiln.Tensor
function kiln.kl_div(x, target, size_average, reduce, reduction, log_target) end

--- The mean of target (log target - x), x log-probabilities; 'batchmean' divides by the batch alone.
---@param target kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'|'batchmean'
---@param log_target? boolean
---@return kiln.Tensor
function Tensor:kl_div(target, size_average, reduce, reduction, log_target) end

--- -x at the target class (1..c), x [n, c, ...] log-probabilities.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param size_average? boolean
---@param ignore_index? integer
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.nll_loss(x, target, weight, size_average, ignore_index, reduce, reduction) end

--- -x at the target class (1..c), x [n, c, ...] log-probabilities.
---@param target kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param size_average? boolean
---@param ignore_index? integer
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:nll_loss(target, weight, size_average, ignore_index, reduce, reduction) end

--- The cross entropy of softmax(x), x [n, c, ...], with target classes (1..c) or probabilities (x's shape).
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param size_average? boolean
---@param ignore_index? integer
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@param label_smoothing? number
---@return kiln.Tensor
function kiln.cross_entropy(x, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing) end

--- The cross entropy of softmax(x), x [n, c, ...], with target classes (1..c) or probabilities (x's shape).
---@param target kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param size_average? boolean
---@param ignore_index? integer
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@param label_smoothing? number
---@return kiln.Tensor
function Tensor:cross_entropy(target, weight, size_average, ignore_index, reduce, reduction, label_smoothing) end

--- The sum of max(0, margin - x at the target + x at another class)^p over c, x [n, c].
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param p? number
---@param margin? number
---@param weight? kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.multi_margin_loss(x, target, p, margin, weight, size_average, reduce, reduction) end

--- The sum of max(0, margin - x at the target + x at another class)^p over c, x [n, c].
---@param target kiln.Tensor|number
---@param p? number
---@param margin? number
---@param weight? kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:multi_margin_loss(target, p, margin, weight, size_average, reduce, reduction) end

--- The mean of multilabel_margin; targets are positions from 1, a row ends at the first 0.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.multilabel_margin_loss(x, target, size_average, reduce, reduction) end

--- The mean of multilabel_margin; targets are positions from 1, a row ends at the first 0.
---@param target kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:multilabel_margin_loss(target, size_average, reduce, reduction) end

--- bernoulli_nll_logits averaged over the classes (the last dim), then over the batch.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.multilabel_soft_margin_loss(x, target, weight, size_average, reduce, reduction) end

--- bernoulli_nll_logits averaged over the classes (the last dim), then over the batch.
---@param target kiln.Tensor|number
---@param weight? kiln.Tensor|number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:multilabel_soft_margin_loss(target, weight, size_average, reduce, reduction) end

--- The p-norm of x - y + eps over the last dim.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param p? number
---@param eps? number
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.pairwise_distance(x, y, p, eps, keepdim) end

--- The p-norm of x - y + eps over the last dim.
---@param y kiln.Tensor|number
---@param p? number
---@param eps? number
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:pairwise_distance(y, p, eps, keepdim) end

--- The cosine of the angle between x and y along dim; lengths are not below eps.
---@param x kiln.Tensor|number
---@param y kiln.Tensor|number
---@param dim? integer
---@param eps? number
---@return kiln.Tensor
function kiln.cosine_similarity(x, y, dim, eps) end

--- The cosine of the angle between x and y along dim; lengths are not below eps.
---@param y kiln.Tensor|number
---@param dim? integer
---@param eps? number
---@return kiln.Tensor
function Tensor:cosine_similarity(y, dim, eps) end

--- 1 - the cosine where target is 1, max(0, the cosine - margin) where it is -1.
---@param x1 kiln.Tensor|number
---@param x2 kiln.Tensor|number
---@param target kiln.Tensor|number
---@param margin? number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.cosine_embedding_loss(x1, x2, target, margin, size_average, reduce, reduction) end

--- 1 - the cosine where target is 1, max(0, the cosine - margin) where it is -1.
---@param x2 kiln.Tensor|number
---@param target kiln.Tensor|number
---@param margin? number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:cosine_embedding_loss(x2, target, margin, size_average, reduce, reduction) end

--- x where target is 1, max(0, margin - x) where it is -1.
---@param x kiln.Tensor|number
---@param target kiln.Tensor|number
---@param margin? number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.hinge_embedding_loss(x, target, margin, size_average, reduce, reduction) end

--- x where target is 1, max(0, margin - x) where it is -1.
---@param target kiln.Tensor|number
---@param margin? number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:hinge_embedding_loss(target, margin, size_average, reduce, reduction) end

--- max(0, margin - target (x1 - x2)): target 1 wants x1 the larger, -1 x2.
---@param x1 kiln.Tensor|number
---@param x2 kiln.Tensor|number
---@param target kiln.Tensor|number
---@param margin? number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.margin_ranking_loss(x1, x2, target, margin, size_average, reduce, reduction) end

--- max(0, margin - target (x1 - x2)): target 1 wants x1 the larger, -1 x2.
---@param x2 kiln.Tensor|number
---@param target kiln.Tensor|number
---@param margin? number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:margin_ranking_loss(x2, target, margin, size_average, reduce, reduction) end

--- max(0, distance to positive - distance to negative + margin); swap takes the nearer of anchor and positive.
---@param anchor kiln.Tensor|number
---@param positive kiln.Tensor|number
---@param negative kiln.Tensor|number
---@param margin? number
---@param p? number
---@param eps? number
---@param swap? boolean
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function kiln.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, size_average, reduce, reduction) end

--- max(0, distance to positive - distance to negative + margin); swap takes the nearer of anchor and positive.
---@param positive kiln.Tensor|number
---@param negative kiln.Tensor|number
---@param margin? number
---@param p? number
---@param eps? number
---@param swap? boolean
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@return kiln.Tensor
function Tensor:triplet_margin_loss(positive, negative, margin, p, eps, swap, size_average, reduce, reduction) end

--- One direction of one recurrent layer.  gates [rows, G H] is x w_ih' + b_ih for every step, the steps one after the other; step t has sizes[t] rows, which never grow, and continues the first sizes[t] rows of h [n, H] (and cell, for lstm).  w [G H, H] and b [G H] act on h; G is 4 for lstm (i, f, g, o), 3 for gru (r, z, n), else 1.  Returns the outputs [rows, H], the last h and cell, and what the gradient needs.
---@param gates kiln.Tensor|number
---@param sizes kiln.Tensor
---@param h kiln.Tensor|number
---@param cell? kiln.Tensor|number
---@param w kiln.Tensor|number
---@param b? kiln.Tensor|number
---@param mode 'lstm'|'gru'|'tanh'|'relu'
---@param reverse? boolean
---@return kiln.Tensor, kiln.Tensor, kiln.Tensor, kiln.Tensor
function kiln.rnn_layer(gates, sizes, h, cell, w, b, mode, reverse) end

--- One direction of one recurrent layer.  gates [rows, G H] is x w_ih' + b_ih for every step, the steps one after the other; step t has sizes[t] rows, which never grow, and continues the first sizes[t] rows of h [n, H] (and cell, for lstm).  w [G H, H] and b [G H] act on h; G is 4 for lstm (i, f, g, o), 3 for gru (r, z, n), else 1.  Returns the outputs [rows, H], the last h and cell, and what the gradient needs.
---@param sizes kiln.Tensor
---@param h kiln.Tensor|number
---@param cell? kiln.Tensor|number
---@param w kiln.Tensor|number
---@param b? kiln.Tensor|number
---@param mode 'lstm'|'gru'|'tanh'|'relu'
---@param reverse? boolean
---@return kiln.Tensor, kiln.Tensor, kiln.Tensor, kiln.Tensor
function Tensor:rnn_layer(sizes, h, cell, w, b, mode, reverse) end

--- Joins tensors along a dim.
---@param xs kiln.Tensor[]
---@param dim? integer
---@return kiln.Tensor
function kiln.cat(xs, dim) end

--- Joins tensors along a dim.
---@param xs kiln.Tensor[]
---@param dim? integer
---@return kiln.Tensor
function kiln.concat(xs, dim) end

--- Joins tensors along a dim.
---@param xs kiln.Tensor[]
---@param dim? integer
---@return kiln.Tensor
function kiln.concatenate(xs, dim) end

--- Joins tensors of one shape along a new dim.
---@param xs kiln.Tensor[]
---@param dim? integer
---@return kiln.Tensor
function kiln.stack(xs, dim) end

--- length positions of a dim from start on; a view.
---@param x kiln.Tensor|number
---@param dim integer
---@param start integer
---@param length integer
---@return kiln.Tensor
function kiln.narrow(x, dim, start, length) end

--- length positions of a dim from start on; a view.
---@param dim integer
---@param start integer
---@param length integer
---@return kiln.Tensor
function Tensor:narrow(dim, start, length) end

--- Parts of a dim as several results: each of `size` positions (the last may be smaller), or of the sizes in a table, which must add up.
---@param x kiln.Tensor|number
---@param size? any
---@param dim? integer
---@return kiln.Tensor
function kiln.split(x, size, dim) end

--- Parts of a dim as several results: each of `size` positions (the last may be smaller), or of the sizes in a table, which must add up.
---@param size? any
---@param dim? integer
---@return kiln.Tensor
function Tensor:split(size, dim) end

--- Parts of a dim as several results: each of `size` positions (the last may be smaller), or of the sizes in a table, which must add up.
---@param x kiln.Tensor|number
---@param size? any
---@param dim? integer
---@return kiln.Tensor
function kiln.split_with_sizes(x, size, dim) end

--- Parts of a dim as several results: each of `size` positions (the last may be smaller), or of the sizes in a table, which must add up.
---@param size? any
---@param dim? integer
---@return kiln.Tensor
function Tensor:split_with_sizes(size, dim) end

--- At most `chunks` parts of a dim, all but the last equal; several results.
---@param x kiln.Tensor|number
---@param chunks integer
---@param dim? integer
---@return kiln.Tensor
function kiln.chunk(x, chunks, dim) end

--- At most `chunks` parts of a dim, all but the last equal; several results.
---@param chunks integer
---@param dim? integer
---@return kiln.Tensor
function Tensor:chunk(chunks, dim) end

--- Every position of a dim, as several results without that dim.
---@param x kiln.Tensor|number
---@param dim? integer
---@return kiln.Tensor
function kiln.unbind(x, dim) end

--- Every position of a dim, as several results without that dim.
---@param dim? integer
---@return kiln.Tensor
function Tensor:unbind(dim) end

--- The same elements in another shape (one size may be -1): a view where strides allow it, else a copy.
---@param x kiln.Tensor|number
---@param size integer[]|integer
---@return kiln.Tensor
function kiln.reshape(x, size) end

--- The same elements in another shape (one size may be -1): a view where strides allow it, else a copy.
---@param size integer[]|integer
---@return kiln.Tensor
function Tensor:reshape(size) end

--- Dims first to last as one.
---@param x kiln.Tensor|number
---@param first? integer
---@param last? integer
---@return kiln.Tensor
function kiln.flatten(x, first, last) end

--- Dims first to last as one.
---@param first? integer
---@param last? integer
---@return kiln.Tensor
function Tensor:flatten(first, last) end

--- Dims first to last as one.
---@param x kiln.Tensor|number
---@param first? integer
---@param last? integer
---@return kiln.Tensor
function kiln.ravel(x, first, last) end

--- Dims first to last as one.
---@param first? integer
---@param last? integer
---@return kiln.Tensor
function Tensor:ravel(first, last) end

--- One dim as several; one of the sizes may be -1.
---@param x kiln.Tensor|number
---@param dim integer
---@param sizes integer[]|integer
---@return kiln.Tensor
function kiln.unflatten(x, dim, sizes) end

--- One dim as several; one of the sizes may be -1.
---@param dim integer
---@param sizes integer[]|integer
---@return kiln.Tensor
function Tensor:unflatten(dim, sizes) end

--- The transpose of a matrix; tensors of fewer dims are returned as they are.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.t(x) end

--- The transpose of a matrix; tensors of fewer dims are returned as they are.
---@return kiln.Tensor
function Tensor:t() end

--- Moves the dims `source` to the places `destination`.
---@param x kiln.Tensor|number
---@param source integer[]|integer
---@param destination integer[]|integer
---@return kiln.Tensor
function kiln.movedim(x, source, destination) end

--- Moves the dims `source` to the places `destination`.
---@param source integer[]|integer
---@param destination integer[]|integer
---@return kiln.Tensor
function Tensor:movedim(source, destination) end

--- Moves the dims `source` to the places `destination`.
---@param x kiln.Tensor|number
---@param source integer[]|integer
---@param destination integer[]|integer
---@return kiln.Tensor
function kiln.moveaxis(x, source, destination) end

--- Moves the dims `source` to the places `destination`.
---@param source integer[]|integer
---@param destination integer[]|integer
---@return kiln.Tensor
function Tensor:moveaxis(source, destination) end

--- x repeated reps[i] times along dim i, counted from the last dim; also spelled x["repeat"](x, ...).
---@param x kiln.Tensor|number
---@param reps integer[]|integer
---@return kiln.Tensor
function kiln.tile(x, reps) end

--- x repeated reps[i] times along dim i, counted from the last dim; also spelled x["repeat"](x, ...).
---@param reps integer[]|integer
---@return kiln.Tensor
function Tensor:tile(reps) end

--- The reference's name of tile, which Lua reserves: x["repeat"](x, 2, 3).
---@param x kiln.Tensor|number
---@param reps integer[]|integer
---@return kiln.Tensor
kiln["repeat"] = function(x, reps) end

--- The reference's name of tile, which Lua reserves: x["repeat"](x, 2, 3).
---@param reps integer[]|integer
---@return kiln.Tensor
Tensor["repeat"] = function(self, reps) end

--- Reverses the order along dims.
---@param x kiln.Tensor|number
---@param dims integer[]|integer
---@return kiln.Tensor
function kiln.flip(x, dims) end

--- Reverses the order along dims.
---@param dims integer[]|integer
---@return kiln.Tensor
function Tensor:flip(dims) end

--- Moves elements along dims by shifts; what leaves at the end comes in at the front. Without dims: of the flat tensor.
---@param x kiln.Tensor|number
---@param shifts integer[]|integer
---@param dims? integer[]|integer
---@return kiln.Tensor
function kiln.roll(x, shifts, dims) end

--- Moves elements along dims by shifts; what leaves at the end comes in at the front. Without dims: of the flat tensor.
---@param shifts integer[]|integer
---@param dims? integer[]|integer
---@return kiln.Tensor
function Tensor:roll(shifts, dims) end

--- Turns by k quarters from dims[1] (1 without) towards dims[2] (2).
---@param x kiln.Tensor|number
---@param k? integer
---@param dims? integer[]|integer
---@return kiln.Tensor
function kiln.rot90(x, k, dims) end

--- Turns by k quarters from dims[1] (1 without) towards dims[2] (2).
---@param k? integer
---@param dims? integer[]|integer
---@return kiln.Tensor
function Tensor:rot90(k, dims) end

--- Vectors as grids: result i varies along dim i (with indexing 'xy' the first two dims change places); several results.
---@param xs kiln.Tensor[]
---@param indexing? 'ij'|'xy'
---@return kiln.Tensor
function kiln.meshgrid(xs, indexing) end

--- Joins tensors along dim 1 (1-dim tensors: as rows).
---@param xs kiln.Tensor[]
---@return kiln.Tensor
function kiln.vstack(xs) end

--- Joins tensors along dim 1 (1-dim tensors: as rows).
---@param xs kiln.Tensor[]
---@return kiln.Tensor
function kiln.row_stack(xs) end

--- Joins tensors along dim 2 (1-dim tensors: along their only dim).
---@param xs kiln.Tensor[]
---@return kiln.Tensor
function kiln.hstack(xs) end

--- Parts of a dim as several results: a number of nearly equal ones, or cut behind as many positions as each entry of a list says.
---@param x kiln.Tensor|number
---@param parts? any
---@param dim? integer
---@return kiln.Tensor
function kiln.tensor_split(x, parts, dim) end

--- Parts of a dim as several results: a number of nearly equal ones, or cut behind as many positions as each entry of a list says.
---@param parts? any
---@param dim? integer
---@return kiln.Tensor
function Tensor:tensor_split(parts, dim) end

--- tensor_split along dim 2 (1 of a vector); a number of parts must be equal ones.
---@param x kiln.Tensor|number
---@param parts? any
---@return kiln.Tensor
function kiln.hsplit(x, parts) end

--- tensor_split along dim 2 (1 of a vector); a number of parts must be equal ones.
---@param parts? any
---@return kiln.Tensor
function Tensor:hsplit(parts) end

--- tensor_split along dim 1; a number of parts must be equal ones.
---@param x kiln.Tensor|number
---@param parts? any
---@return kiln.Tensor
function kiln.vsplit(x, parts) end

--- tensor_split along dim 1; a number of parts must be equal ones.
---@param parts? any
---@return kiln.Tensor
function Tensor:vsplit(parts) end

--- tensor_split along dim 3; a number of parts must be equal ones.
---@param x kiln.Tensor|number
---@param parts? any
---@return kiln.Tensor
function kiln.dsplit(x, parts) end

--- tensor_split along dim 3; a number of parts must be equal ones.
---@param parts? any
---@return kiln.Tensor
function Tensor:dsplit(parts) end

--- x, with a dim if it has none.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.atleast_1d(x) end

--- x, with a dim if it has none.
---@return kiln.Tensor
function Tensor:atleast_1d() end

--- x, with dims of size 1 in front up to 2.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.atleast_2d(x) end

--- x, with dims of size 1 in front up to 2.
---@return kiln.Tensor
function Tensor:atleast_2d() end

--- x with up to 3 dims: [n] as [1, n, 1], [n, m] as [n, m, 1].
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.atleast_3d(x) end

--- x with up to 3 dims: [n] as [1, n, 1], [n, m] as [n, m, 1].
---@return kiln.Tensor
function Tensor:atleast_3d() end

--- The tensors, each expanded to the shape they broadcast to; several results.
---@param xs kiln.Tensor[]
---@return kiln.Tensor
function kiln.broadcast_tensors(xs) end

--- Joins tensors along dim 3 (atleast_3d).
---@param xs kiln.Tensor[]
---@return kiln.Tensor
function kiln.dstack(xs) end

--- Joins tensors along dim 2; vectors are columns.
---@param xs kiln.Tensor[]
---@return kiln.Tensor
function kiln.column_stack(xs) end

--- Matrices (vectors as rows) one behind the other on the diagonal, 0 elsewhere.
---@param xs kiln.Tensor[]
---@return kiln.Tensor
function kiln.block_diag(xs) end

--- Every choice of an element from each vector: a row each; of one vector itself.
---@param xs kiln.Tensor[]
---@return kiln.Tensor
function kiln.cartesian_prod(xs) end

--- Every choice of r elements of a vector, in their order: a row each. With replacement an element may come again.
---@param x kiln.Tensor|number
---@param r? integer
---@param with_replacement? boolean
---@return kiln.Tensor
function kiln.combinations(x, r, with_replacement) end

--- Every choice of r elements of a vector, in their order: a row each. With replacement an element may come again.
---@param r? integer
---@param with_replacement? boolean
---@return kiln.Tensor
function Tensor:combinations(r, with_replacement) end

--- x with src at one position of a dim.
---@param x kiln.Tensor|number
---@param src kiln.Tensor|number
---@param dim integer
---@param index integer
---@return kiln.Tensor
function kiln.select_scatter(x, src, dim, index) end

--- x with src at one position of a dim.
---@param src kiln.Tensor|number
---@param dim integer
---@param index integer
---@return kiln.Tensor
function Tensor:select_scatter(src, dim, index) end

--- x with src at the positions first to last (included) of a dim, every step-th.
---@param x kiln.Tensor|number
---@param src kiln.Tensor|number
---@param dim? integer
---@param first? integer
---@param last? integer
---@param step? integer
---@return kiln.Tensor
function kiln.slice_scatter(x, src, dim, first, last, step) end

--- x with src at the positions first to last (included) of a dim, every step-th.
---@param src kiln.Tensor|number
---@param dim? integer
---@param first? integer
---@param last? integer
---@param step? integer
---@return kiln.Tensor
function Tensor:slice_scatter(src, dim, first, last, step) end

--- x with src on a diagonal.
---@param x kiln.Tensor|number
---@param src kiln.Tensor|number
---@param offset? integer
---@param dim1? integer
---@param dim2? integer
---@return kiln.Tensor
function kiln.diagonal_scatter(x, src, offset, dim1, dim2) end

--- x with src on a diagonal.
---@param src kiln.Tensor|number
---@param offset? integer
---@param dim1? integer
---@param dim2? integer
---@return kiln.Tensor
function Tensor:diagonal_scatter(src, offset, dim1, dim2) end

--- A copy of what narrow shows.
---@param x kiln.Tensor|number
---@param dim integer
---@param start integer
---@param length integer
---@return kiln.Tensor
function kiln.narrow_copy(x, dim, start, length) end

--- A copy of what narrow shows.
---@param dim integer
---@param start integer
---@param length integer
---@return kiln.Tensor
function Tensor:narrow_copy(dim, start, length) end

--- x summed over dims to a shape that broadcasts to its own.
---@param x kiln.Tensor|number
---@param size integer[]|integer
---@return kiln.Tensor
function kiln.sum_to_size(x, size) end

--- x summed over dims to a shape that broadcasts to its own.
---@param size integer[]|integer
---@return kiln.Tensor
function Tensor:sum_to_size(size) end

--- A matrix with the elements of x, as one line, on a diagonal.
---@param x kiln.Tensor|number
---@param diagonal? integer
---@return kiln.Tensor
function kiln.diagflat(x, diagonal) end

--- A matrix with the elements of x, as one line, on a diagonal.
---@param diagonal? integer
---@return kiln.Tensor
function Tensor:diagflat(diagonal) end

--- The transpose of each matrix, the last two dims; also x.mT.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.adjoint(x) end

--- The transpose of each matrix, the last two dims; also x.mT.
---@return kiln.Tensor
function Tensor:adjoint() end

--- flip along dim 1.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.flipud(x) end

--- flip along dim 1.
---@return kiln.Tensor
function Tensor:flipud() end

--- flip along dim 2.
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.fliplr(x) end

--- flip along dim 2.
---@return kiln.Tensor
function Tensor:fliplr() end

--- Positions in a tensor of a shape, read row by row, as positions in each dim: several results.
---@param index kiln.Tensor
---@param shape integer[]|integer
---@return kiln.Tensor
function kiln.unravel_index(index, shape) end

--- Positions in a tensor of a shape, read row by row, as positions in each dim: several results.
---@param shape integer[]|integer
---@return kiln.Tensor
function Tensor:unravel_index(shape) end

--- Sum over dims (all without) of what is not NaN; integers sum as int64. The option `dtype` says what x is cast to first.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.nansum(x, dims, keepdim) end

--- Sum over dims (all without) of what is not NaN; integers sum as int64. The option `dtype` says what x is cast to first.
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:nansum(dims, keepdim) end

--- Mean over dims (all without) of what is not NaN; NaN where nothing is left. The option `dtype` says what x is cast to first.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function kiln.nanmean(x, dims, keepdim) end

--- Mean over dims (all without) of what is not NaN; NaN where nothing is left. The option `dtype` says what x is cast to first.
---@param dims? integer[]|integer
---@param keepdim? boolean
---@return kiln.Tensor
function Tensor:nanmean(dims, keepdim) end

--- The q-th quantile along dim (of all elements without), between two elements by `interpolation`; NaN if there is one; q is a number from 0 to 1, or a vector of such, which gives the result a first dim.
---@param x kiln.Tensor|number
---@param q? any
---@param dim? integer
---@param keepdim? boolean
---@param interpolation? 'linear'|'lower'|'higher'|'nearest'|'midpoint'
---@return kiln.Tensor
function kiln.quantile(x, q, dim, keepdim, interpolation) end

--- The q-th quantile along dim (of all elements without), between two elements by `interpolation`; NaN if there is one; q is a number from 0 to 1, or a vector of such, which gives the result a first dim.
---@param q? any
---@param dim? integer
---@param keepdim? boolean
---@param interpolation? 'linear'|'lower'|'higher'|'nearest'|'midpoint'
---@return kiln.Tensor
function Tensor:quantile(q, dim, keepdim, interpolation) end

--- The q-th quantile along dim (of all elements without), between two elements by `interpolation`; NaN is left out; q is a number from 0 to 1, or a vector of such, which gives the result a first dim.
---@param x kiln.Tensor|number
---@param q? any
---@param dim? integer
---@param keepdim? boolean
---@param interpolation? 'linear'|'lower'|'higher'|'nearest'|'midpoint'
---@return kiln.Tensor
function kiln.nanquantile(x, q, dim, keepdim, interpolation) end

--- The q-th quantile along dim (of all elements without), between two elements by `interpolation`; NaN is left out; q is a number from 0 to 1, or a vector of such, which gives the result a first dim.
---@param q? any
---@param dim? integer
---@param keepdim? boolean
---@param interpolation? 'linear'|'lower'|'higher'|'nearest'|'midpoint'
---@return kiln.Tensor
function Tensor:nanquantile(q, dim, keepdim, interpolation) end

--- var and mean of x.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param unbiased? boolean
---@param keepdim? boolean
---@param correction? number
---@return kiln.Tensor
function kiln.var_mean(x, dims, unbiased, keepdim, correction) end

--- var and mean of x.
---@param dims? integer[]|integer
---@param unbiased? boolean
---@param keepdim? boolean
---@param correction? number
---@return kiln.Tensor
function Tensor:var_mean(dims, unbiased, keepdim, correction) end

--- std and mean of x.
---@param x kiln.Tensor|number
---@param dims? integer[]|integer
---@param unbiased? boolean
---@param keepdim? boolean
---@param correction? number
---@return kiln.Tensor
function kiln.std_mean(x, dims, unbiased, keepdim, correction) end

--- std and mean of x.
---@param dims? integer[]|integer
---@param unbiased? boolean
---@param keepdim? boolean
---@param correction? number
---@return kiln.Tensor
function Tensor:std_mean(dims, unbiased, keepdim, correction) end

--- The covariance matrix of variables (rows) by observations (columns); fweights say how often each observation stands, aweights how much it counts.
---@param x kiln.Tensor|number
---@param correction? integer
---@param fweights? kiln.Tensor|number
---@param aweights? kiln.Tensor|number
---@return kiln.Tensor
function kiln.cov(x, correction, fweights, aweights) end

--- The covariance matrix of variables (rows) by observations (columns); fweights say how often each observation stands, aweights how much it counts.
---@param correction? integer
---@param fweights? kiln.Tensor|number
---@param aweights? kiln.Tensor|number
---@return kiln.Tensor
function Tensor:cov(correction, fweights, aweights) end

--- The correlation coefficients of variables (rows) by observations (columns).
---@param x kiln.Tensor|number
---@return kiln.Tensor
function kiln.corrcoef(x) end

--- The correlation coefficients of variables (rows) by observations (columns).
---@return kiln.Tensor
function Tensor:corrcoef() end

--- The area under samples y along dim by trapezia, at places x or at distances dx.
---@param y kiln.Tensor|number
---@param x? kiln.Tensor|number
---@param dx? number
---@param dim? integer
---@return kiln.Tensor
function kiln.trapezoid(y, x, dx, dim) end

--- The area under samples y along dim by trapezia, at places x or at distances dx.
---@param x? kiln.Tensor|number
---@param dx? number
---@param dim? integer
---@return kiln.Tensor
function Tensor:trapezoid(x, dx, dim) end

--- The area under samples y along dim by trapezia, at places x or at distances dx.
---@param y kiln.Tensor|number
---@param x? kiln.Tensor|number
---@param dx? number
---@param dim? integer
---@return kiln.Tensor
function kiln.trapz(y, x, dx, dim) end

--- The area under samples y along dim by trapezia, at places x or at distances dx.
---@param x? kiln.Tensor|number
---@param dx? number
---@param dim? integer
---@return kiln.Tensor
function Tensor:trapz(x, dx, dim) end

--- trapezoid up to each sample but the first.
---@param y kiln.Tensor|number
---@param x? kiln.Tensor|number
---@param dx? number
---@param dim? integer
---@return kiln.Tensor
function kiln.cumulative_trapezoid(y, x, dx, dim) end

--- trapezoid up to each sample but the first.
---@param x? kiln.Tensor|number
---@param dx? number
---@param dim? integer
---@return kiln.Tensor
function Tensor:cumulative_trapezoid(x, dx, dim) end

--- The derivative of samples x along each of dims (all without), a result each, by differences of neighbours on both sides; at the ends by those of 2 samples, or of 3 with edge_order 2. spacing is the distance of samples (1 without), or a list: for each dim a number or a vector of places.
---@param x kiln.Tensor|number
---@param spacing? any
---@param dims? integer[]|integer
---@param edge_order? integer
---@return kiln.Tensor
function kiln.gradient(x, spacing, dims, edge_order) end

--- The derivative of samples x along each of dims (all without), a result each, by differences of neighbours on both sides; at the ends by those of 2 samples, or of 3 with edge_order 2. spacing is the distance of samples (1 without), or a list: for each dim a number or a vector of places.
---@param spacing? any
---@param dims? integer[]|integer
---@param edge_order? integer
---@return kiln.Tensor
function Tensor:gradient(spacing, dims, edge_order) end

--- How many elements (or how much of `weight`) fall into each bin, and the edges of the bins: `bins` equal ones of range, { low, high } (without: of the data), or a vector of edges. The last bin includes its end. With density the area is 1.
---@param x kiln.Tensor|number
---@param bins? any
---@param range? any
---@param weight? kiln.Tensor|number
---@param density? boolean
---@return kiln.Tensor
function kiln.histogram(x, bins, range, weight, density) end

--- How many elements (or how much of `weight`) fall into each bin, and the edges of the bins: `bins` equal ones of range, { low, high } (without: of the data), or a vector of edges. The last bin includes its end. With density the area is 1.
---@param bins? any
---@param range? any
---@param weight? kiln.Tensor|number
---@param density? boolean
---@return kiln.Tensor
function Tensor:histogram(bins, range, weight, density) end

--- The histogram of points x [..., n] in n dims, and the edges of the bins along each dim, a result each. bins is a number, or a list: for each dim a number or a vector of edges; range { low1, high1, low2, high2, ... }.
---@param x kiln.Tensor|number
---@param bins? any
---@param range? any
---@param weight? kiln.Tensor|number
---@param density? boolean
---@return kiln.Tensor
function kiln.histogramdd(x, bins, range, weight, density) end

--- The histogram of points x [..., n] in n dims, and the edges of the bins along each dim, a result each. bins is a number, or a list: for each dim a number or a vector of edges; range { low1, high1, low2, high2, ... }.
---@param bins? any
---@param range? any
---@param weight? kiln.Tensor|number
---@param density? boolean
---@return kiln.Tensor
function Tensor:histogramdd(bins, range, weight, density) end

---@class kiln.nn
kiln.nn = {}

--- x1' W x2 + b for each output. Parameters weight [out, in1, in2], bias [out].  Shapes: (*, in1_features), (*, in2_features) -> (*, out_features)
---@param in1_features integer
---@param in2_features integer
---@param out_features integer
---@param bias? boolean
function kiln.nn.Bilinear(in1_features, in2_features, out_features, bias) end

--- Cross-correlation with learnt kernels. Parameters weight [out, in / groups, kernel...], bias [out]. An input without N is taken, too.  Shapes: (N, C, L) -> (N, C', L')
---@param in_channels integer
---@param out_channels integer
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]|string
---@param dilation? integer|integer[]
---@param groups? integer
---@param bias? boolean
---@param padding_mode? 'zeros'|'reflect'|'replicate'|'circular'
function kiln.nn.Conv1d(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode) end

--- Cross-correlation with learnt kernels. Parameters weight [out, in / groups, kernel...], bias [out]. An input without N is taken, too.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param in_channels integer
---@param out_channels integer
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]|string
---@param dilation? integer|integer[]
---@param groups? integer
---@param bias? boolean
---@param padding_mode? 'zeros'|'reflect'|'replicate'|'circular'
function kiln.nn.Conv2d(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode) end

--- Cross-correlation with learnt kernels. Parameters weight [out, in / groups, kernel...], bias [out]. An input without N is taken, too.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param in_channels integer
---@param out_channels integer
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]|string
---@param dilation? integer|integer[]
---@param groups? integer
---@param bias? boolean
---@param padding_mode? 'zeros'|'reflect'|'replicate'|'circular'
function kiln.nn.Conv3d(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode) end

--- The gradient of a convolution by its input, as a layer. Parameters weight [in, out / groups, kernel...], bias [out].  Shapes: (N, C, L) -> (N, C', L')
---@param in_channels integer
---@param out_channels integer
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
---@param output_padding? integer|integer[]
---@param groups? integer
---@param bias? boolean
---@param dilation? integer|integer[]
---@param padding_mode? string
function kiln.nn.ConvTranspose1d(in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode) end

--- The gradient of a convolution by its input, as a layer. Parameters weight [in, out / groups, kernel...], bias [out].  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param in_channels integer
---@param out_channels integer
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
---@param output_padding? integer|integer[]
---@param groups? integer
---@param bias? boolean
---@param dilation? integer|integer[]
---@param padding_mode? string
function kiln.nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode) end

--- The gradient of a convolution by its input, as a layer. Parameters weight [in, out / groups, kernel...], bias [out].  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param in_channels integer
---@param out_channels integer
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
---@param output_padding? integer|integer[]
---@param groups? integer
---@param bias? boolean
---@param dilation? integer|integer[]
---@param padding_mode? string
function kiln.nn.ConvTranspose3d(in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode) end

--- Rows of a table by position from 1; padding_idx gets no gradient, with sparse the gradient is row-sparse. Parameter weight [num_embeddings, embedding_dim].  Shapes: (*) int64 -> (*, embedding_dim)
---@param num_embeddings integer
---@param embedding_dim integer
---@param padding_idx? integer
---@param max_norm? number
---@param norm_type? number
---@param scale_grad_by_freq? boolean
---@param sparse? boolean
---@param _weight? kiln.Tensor
---@param _freeze? boolean
function kiln.nn.Embedding(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight, _freeze) end

--- The sum, mean or maximum of the rows of each bag.  Shapes: (N, L) int64, or (L) and offsets (N) from 1 -> (N, embedding_dim)
---@param num_embeddings integer
---@param embedding_dim integer
---@param max_norm? number
---@param norm_type? number
---@param scale_grad_by_freq? boolean
---@param mode? 'sum'|'mean'|'max'
---@param sparse? boolean
---@param _weight? kiln.Tensor
---@param include_last_offset? boolean
---@param padding_idx? integer
function kiln.nn.EmbeddingBag(num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq, mode, sparse, _weight, include_last_offset, padding_idx) end

--- Dims start_dim to end_dim as one.  Shapes: (N, a, b, ...) -> (N, a b ...)
---@param start_dim? integer
---@param end_dim? integer
function kiln.nn.Flatten(start_dim, end_dim) end

--- Adds columns back to where Unfold took them.  Shapes: (N, C k k, L) -> (N, C, H, W)
---@param output_size integer|integer[]
---@param kernel_size integer|integer[]
---@param dilation? integer|integer[]
---@param padding? integer|integer[]
---@param stride? integer|integer[]
function kiln.nn.Fold(output_size, kernel_size, dilation, padding, stride) end

--- x itself; arguments are ignored.  Shapes: (*) -> (*)
function kiln.nn.Identity() end

--- Conv, whose in_channels are those of its first input.  Shapes: (N, C, L) -> (N, C', L')
---@param out_channels integer
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]|string
---@param dilation? integer|integer[]
---@param groups? integer
---@param bias? boolean
---@param padding_mode? 'zeros'|'reflect'|'replicate'|'circular'
function kiln.nn.LazyConv1d(out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode) end

--- Conv, whose in_channels are those of its first input.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param out_channels integer
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]|string
---@param dilation? integer|integer[]
---@param groups? integer
---@param bias? boolean
---@param padding_mode? 'zeros'|'reflect'|'replicate'|'circular'
function kiln.nn.LazyConv2d(out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode) end

--- Conv, whose in_channels are those of its first input.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param out_channels integer
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]|string
---@param dilation? integer|integer[]
---@param groups? integer
---@param bias? boolean
---@param padding_mode? 'zeros'|'reflect'|'replicate'|'circular'
function kiln.nn.LazyConv3d(out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode) end

--- ConvTranspose, whose in_channels are those of its first input.  Shapes: (N, C, L) -> (N, C', L')
---@param out_channels integer
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
---@param output_padding? integer|integer[]
---@param groups? integer
---@param bias? boolean
---@param dilation? integer|integer[]
---@param padding_mode? string
function kiln.nn.LazyConvTranspose1d(out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode) end

--- ConvTranspose, whose in_channels are those of its first input.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param out_channels integer
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
---@param output_padding? integer|integer[]
---@param groups? integer
---@param bias? boolean
---@param dilation? integer|integer[]
---@param padding_mode? string
function kiln.nn.LazyConvTranspose2d(out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode) end

--- ConvTranspose, whose in_channels are those of its first input.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param out_channels integer
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
---@param output_padding? integer|integer[]
---@param groups? integer
---@param bias? boolean
---@param dilation? integer|integer[]
---@param padding_mode? string
function kiln.nn.LazyConvTranspose3d(out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode) end

--- Linear, whose in_features are those of its first input.  Shapes: (*, in) -> (*, out_features)
---@param out_features integer
---@param bias? boolean
function kiln.nn.LazyLinear(out_features, bias) end

--- x W' + b. Parameters weight [out, in], bias [out].  Shapes: (*, in_features) -> (*, out_features)
---@param in_features integer
---@param out_features integer
---@param bias? boolean
function kiln.nn.Linear(in_features, out_features, bias) end

--- One dim as several.  Shapes: (N, a b) -> (N, a, b)
---@param dim integer
---@param unflattened_size table
function kiln.nn.Unflatten(dim, unflattened_size) end

--- Sliding windows as columns.  Shapes: (N, C, H, W) -> (N, C k k, L)
---@param kernel_size integer|integer[]
---@param dilation? integer|integer[]
---@param padding? integer|integer[]
---@param stride? integer|integer[]
function kiln.nn.Unfold(kernel_size, dilation, padding, stride) end

--- AvgPool with windows chosen for an output size.  Shapes: (N, C, L) -> (N, C', L')
---@param output_size any
function kiln.nn.AdaptiveAvgPool1d(output_size) end

--- AvgPool with windows chosen for an output size.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param output_size any
function kiln.nn.AdaptiveAvgPool2d(output_size) end

--- AvgPool with windows chosen for an output size.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param output_size any
function kiln.nn.AdaptiveAvgPool3d(output_size) end

--- MaxPool with windows chosen for an output size.  Shapes: (N, C, L) -> (N, C', L')
---@param output_size any
---@param return_indices? boolean
function kiln.nn.AdaptiveMaxPool1d(output_size, return_indices) end

--- MaxPool with windows chosen for an output size.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param output_size any
---@param return_indices? boolean
function kiln.nn.AdaptiveMaxPool2d(output_size, return_indices) end

--- MaxPool with windows chosen for an output size.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param output_size any
---@param return_indices? boolean
function kiln.nn.AdaptiveMaxPool3d(output_size, return_indices) end

--- The mean of each window.  Shapes: (N, C, L) -> (N, C', L')
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
---@param ceil_mode? boolean
---@param count_include_pad? boolean
function kiln.nn.AvgPool1d(kernel_size, stride, padding, ceil_mode, count_include_pad) end

--- The mean of each window.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
---@param ceil_mode? boolean
---@param count_include_pad? boolean
---@param divisor_override? integer
function kiln.nn.AvgPool2d(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override) end

--- The mean of each window.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
---@param ceil_mode? boolean
---@param count_include_pad? boolean
---@param divisor_override? integer
function kiln.nn.AvgPool3d(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override) end

--- Maxima of windows whose sizes are drawn (Graham 2014).  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param kernel_size integer|integer[]
---@param output_size? integer|integer[]
---@param output_ratio? any
---@param return_indices? boolean
---@param _random_samples? kiln.Tensor
function kiln.nn.FractionalMaxPool2d(kernel_size, output_size, output_ratio, return_indices, _random_samples) end

--- Maxima of windows whose sizes are drawn (Graham 2014).  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param kernel_size integer|integer[]
---@param output_size? integer|integer[]
---@param output_ratio? any
---@param return_indices? boolean
---@param _random_samples? kiln.Tensor
function kiln.nn.FractionalMaxPool3d(kernel_size, output_size, output_ratio, return_indices, _random_samples) end

--- The p-norm of each window (without absolute values).  Shapes: (N, C, L) -> (N, C', L')
---@param norm_type number
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param ceil_mode? boolean
function kiln.nn.LPPool1d(norm_type, kernel_size, stride, ceil_mode) end

--- The p-norm of each window (without absolute values).  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param norm_type number
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param ceil_mode? boolean
function kiln.nn.LPPool2d(norm_type, kernel_size, stride, ceil_mode) end

--- The p-norm of each window (without absolute values).  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param norm_type number
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param ceil_mode? boolean
function kiln.nn.LPPool3d(norm_type, kernel_size, stride, ceil_mode) end

--- The largest value of each window; with return_indices also its position (from 1) in the plane.  Shapes: (N, C, L) -> (N, C', L')
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
---@param dilation? integer|integer[]
---@param return_indices? boolean
---@param ceil_mode? boolean
function kiln.nn.MaxPool1d(kernel_size, stride, padding, dilation, return_indices, ceil_mode) end

--- The largest value of each window; with return_indices also its position (from 1) in the plane.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
---@param dilation? integer|integer[]
---@param return_indices? boolean
---@param ceil_mode? boolean
function kiln.nn.MaxPool2d(kernel_size, stride, padding, dilation, return_indices, ceil_mode) end

--- The largest value of each window; with return_indices also its position (from 1) in the plane.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
---@param dilation? integer|integer[]
---@param return_indices? boolean
---@param ceil_mode? boolean
function kiln.nn.MaxPool3d(kernel_size, stride, padding, dilation, return_indices, ceil_mode) end

--- Puts values back where MaxPool found them, zeros elsewhere.  Shapes: (N, C, L) -> (N, C', L')
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
function kiln.nn.MaxUnpool1d(kernel_size, stride, padding) end

--- Puts values back where MaxPool found them, zeros elsewhere.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
function kiln.nn.MaxUnpool2d(kernel_size, stride, padding) end

--- Puts values back where MaxPool found them, zeros elsewhere.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param kernel_size integer|integer[]
---@param stride? integer|integer[]
---@param padding? integer|integer[]
function kiln.nn.MaxUnpool3d(kernel_size, stride, padding) end

--- Borders of the values of the other end: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, L) -> (N, C', L')
---@param padding any
function kiln.nn.CircularPad1d(padding) end

--- Borders of the values of the other end: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param padding any
function kiln.nn.CircularPad2d(padding) end

--- Borders of the values of the other end: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param padding any
function kiln.nn.CircularPad3d(padding) end

--- Borders of a constant: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, L) -> (N, C', L')
---@param padding any
---@param value number
function kiln.nn.ConstantPad1d(padding, value) end

--- Borders of a constant: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param padding any
---@param value number
function kiln.nn.ConstantPad2d(padding, value) end

--- Borders of a constant: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param padding any
---@param value number
function kiln.nn.ConstantPad3d(padding, value) end

--- Borders of the values mirrored at the edge: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, L) -> (N, C', L')
---@param padding any
function kiln.nn.ReflectionPad1d(padding) end

--- Borders of the values mirrored at the edge: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param padding any
function kiln.nn.ReflectionPad2d(padding) end

--- Borders of the values mirrored at the edge: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param padding any
function kiln.nn.ReflectionPad3d(padding) end

--- Borders of the edge's value: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, L) -> (N, C', L')
---@param padding any
function kiln.nn.ReplicationPad1d(padding) end

--- Borders of the edge's value: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param padding any
function kiln.nn.ReplicationPad2d(padding) end

--- Borders of the edge's value: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param padding any
function kiln.nn.ReplicationPad3d(padding) end

--- Borders of zeros: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, L) -> (N, C', L')
---@param padding any
function kiln.nn.ZeroPad1d(padding) end

--- Borders of zeros: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param padding any
function kiln.nn.ZeroPad2d(padding) end

--- Borders of zeros: one width, or {left, right, top, bottom, ...}.  Shapes: (N, C, D, H, W) -> (N, C', D', H', W')
---@param padding any
function kiln.nn.ZeroPad3d(padding) end

--- max(0, x) + min(0, alpha (exp(x / alpha) - 1)) (Barron 2017).  Shapes: (*) -> (*)
---@param alpha? number
---@param inplace? boolean
function kiln.nn.CELU(alpha, inplace) end

--- x where x > 0, else alpha (exp(x) - 1) (Clevert et al. 2016).  Shapes: (*) -> (*)
---@param alpha? number
---@param inplace? boolean
function kiln.nn.ELU(alpha, inplace) end

--- x times the normal distribution function of x (Hendrycks and Gimpel 2016), or its tanh form.  Shapes: (*) -> (*)
---@param approximate? 'none'|'tanh'
function kiln.nn.GELU(approximate) end

--- a sigmoid(b), a and b the halves of dim (Dauphin et al. 2017).  Shapes: (*, 2 n) -> (*, n)
---@param dim? integer
function kiln.nn.GLU(dim) end

--- x where |x| > lambd, else 0.  Shapes: (*) -> (*)
---@param lambd? number
function kiln.nn.Hardshrink(lambd) end

--- relu6(x + 3) / 6.  Shapes: (*) -> (*)
---@param inplace? boolean
function kiln.nn.Hardsigmoid(inplace) end

--- x relu6(x + 3) / 6 (Howard et al. 2019).  Shapes: (*) -> (*)
---@param inplace? boolean
function kiln.nn.Hardswish(inplace) end

--- x in [min_val, max_val].  Shapes: (*) -> (*)
---@param min_val? number
---@param max_val? number
---@param inplace? boolean
function kiln.nn.Hardtanh(min_val, max_val, inplace) end

--- x where x > 0, else negative_slope x.  Shapes: (*) -> (*)
---@param negative_slope? number
---@param inplace? boolean
function kiln.nn.LeakyReLU(negative_slope, inplace) end

--- log(sigmoid(x)).  Shapes: (*) -> (*)
function kiln.nn.LogSigmoid() end

--- log(softmax(x)) over dim, without overflow.  Shapes: (*) -> (*)
---@param dim? integer
function kiln.nn.LogSoftmax(dim) end

--- x tanh(softplus(x)) (Misra 2019).  Shapes: (*) -> (*)
---@param inplace? boolean
function kiln.nn.Mish(inplace) end

--- x where x > 0, else a learnt slope times x (He et al. 2015). Parameter weight [num_parameters].  Shapes: (*) -> (*)
---@param num_parameters? integer
---@param init? number
function kiln.nn.PReLU(num_parameters, init) end

--- LeakyReLU with a slope drawn for each element while training (Xu et al. 2015).  Shapes: (*) -> (*)
---@param lower? number
---@param upper? number
---@param inplace? boolean
function kiln.nn.RReLU(lower, upper, inplace) end

--- max(x, 0).  Shapes: (*) -> (*)
---@param inplace? boolean
function kiln.nn.ReLU(inplace) end

--- x in [0, 6].  Shapes: (*) -> (*)
---@param inplace? boolean
function kiln.nn.ReLU6(inplace) end

--- 1.0507 ELU(x, 1.6733) (Klambauer et al. 2017).  Shapes: (*) -> (*)
---@param inplace? boolean
function kiln.nn.SELU(inplace) end

--- x sigmoid(x).  Shapes: (*) -> (*)
---@param inplace? boolean
function kiln.nn.SiLU(inplace) end

--- 1 / (1 + exp(-x)).  Shapes: (*) -> (*)
function kiln.nn.Sigmoid() end

--- exp(x) over its sum along dim, without overflow. Without dim: 2, or 1 for 1 and 3 dims.  Shapes: (*) -> (*)
---@param dim? integer
function kiln.nn.Softmax(dim) end

--- softmax over the channels.  Shapes: (N, C, H, W) -> the same
function kiln.nn.Softmax2d() end

--- softmax(-x) over dim.  Shapes: (*) -> (*)
---@param dim? integer
function kiln.nn.Softmin(dim) end

--- log(1 + exp(beta x)) / beta, x itself above threshold.  Shapes: (*) -> (*)
---@param beta? number
---@param threshold? number
function kiln.nn.Softplus(beta, threshold) end

--- x moved by lambd towards 0, and 0 in between.  Shapes: (*) -> (*)
---@param lambd? number
function kiln.nn.Softshrink(lambd) end

--- x / (1 + |x|).  Shapes: (*) -> (*)
function kiln.nn.Softsign() end

--- The hyperbolic tangent.  Shapes: (*) -> (*)
function kiln.nn.Tanh() end

--- x - tanh(x).  Shapes: (*) -> (*)
function kiln.nn.Tanhshrink() end

--- x where x > threshold, else value.  Shapes: (*) -> (*)
---@param threshold number
---@param value number
---@param inplace? boolean
function kiln.nn.Threshold(threshold, value, inplace) end

--- Dropout that keeps mean and variance of SELU networks (Klambauer et al. 2017).  Shapes: (*) -> (*)
---@param p? number
---@param inplace? boolean
function kiln.nn.AlphaDropout(p, inplace) end

--- Normalises each channel over the batch (Ioffe and Szegedy 2015); running statistics in evaluation; momentum = false averages over all batches. Parameters weight, bias, buffers running_mean, running_var, num_batches_tracked.  Shapes: (N, C, L) -> the same
---@param num_features integer
---@param eps? number
---@param momentum? any
---@param affine? boolean
---@param track_running_stats? boolean
---@param bias? boolean
function kiln.nn.BatchNorm1d(num_features, eps, momentum, affine, track_running_stats, bias) end

--- Normalises each channel over the batch (Ioffe and Szegedy 2015); running statistics in evaluation; momentum = false averages over all batches. Parameters weight, bias, buffers running_mean, running_var, num_batches_tracked.  Shapes: (N, C, H, W) -> the same
---@param num_features integer
---@param eps? number
---@param momentum? any
---@param affine? boolean
---@param track_running_stats? boolean
---@param bias? boolean
function kiln.nn.BatchNorm2d(num_features, eps, momentum, affine, track_running_stats, bias) end

--- Normalises each channel over the batch (Ioffe and Szegedy 2015); running statistics in evaluation; momentum = false averages over all batches. Parameters weight, bias, buffers running_mean, running_var, num_batches_tracked.  Shapes: (N, C, D, H, W) -> the same
---@param num_features integer
---@param eps? number
---@param momentum? any
---@param affine? boolean
---@param track_running_stats? boolean
---@param bias? boolean
function kiln.nn.BatchNorm3d(num_features, eps, momentum, affine, track_running_stats, bias) end

--- Zeros with probability p, the rest over 1 - p, while training (Srivastava et al. 2014).  Shapes: (*) -> (*)
---@param p? number
---@param inplace? boolean
function kiln.nn.Dropout(p, inplace) end

--- Dropout of whole channels (Tompson et al. 2015).  Shapes: (N, C, L) -> the same
---@param p? number
---@param inplace? boolean
function kiln.nn.Dropout1d(p, inplace) end

--- Dropout of whole channels (Tompson et al. 2015).  Shapes: (N, C, H, W) -> the same
---@param p? number
---@param inplace? boolean
function kiln.nn.Dropout2d(p, inplace) end

--- Dropout of whole channels (Tompson et al. 2015).  Shapes: (N, C, D, H, W) -> the same
---@param p? number
---@param inplace? boolean
function kiln.nn.Dropout3d(p, inplace) end

--- AlphaDropout of whole channels.  Shapes: (N, C, *) -> the same
---@param p? number
---@param inplace? boolean
function kiln.nn.FeatureAlphaDropout(p, inplace) end

--- Normalises groups of channels (Wu and He 2018). Parameters weight, bias [C].  Shapes: (N, C, *) -> the same
---@param num_groups integer
---@param num_channels integer
---@param eps? number
---@param affine? boolean
---@param bias? boolean
function kiln.nn.GroupNorm(num_groups, num_channels, eps, affine, bias) end

--- Normalises each channel of each sample (Ulyanov et al. 2016).  Shapes: (N, C, L) -> the same
---@param num_features integer
---@param eps? number
---@param momentum? number
---@param affine? boolean
---@param track_running_stats? boolean
---@param bias? boolean
function kiln.nn.InstanceNorm1d(num_features, eps, momentum, affine, track_running_stats, bias) end

--- Normalises each channel of each sample (Ulyanov et al. 2016).  Shapes: (N, C, H, W) -> the same
---@param num_features integer
---@param eps? number
---@param momentum? number
---@param affine? boolean
---@param track_running_stats? boolean
---@param bias? boolean
function kiln.nn.InstanceNorm2d(num_features, eps, momentum, affine, track_running_stats, bias) end

--- Normalises each channel of each sample (Ulyanov et al. 2016).  Shapes: (N, C, D, H, W) -> the same
---@param num_features integer
---@param eps? number
---@param momentum? number
---@param affine? boolean
---@param track_running_stats? boolean
---@param bias? boolean
function kiln.nn.InstanceNorm3d(num_features, eps, momentum, affine, track_running_stats, bias) end

--- Normalises over the last dims, normalized_shape (Ba et al. 2016). Parameters weight, bias of that shape.  Shapes: (*) -> (*)
---@param normalized_shape any
---@param eps? number
---@param elementwise_affine? boolean
---@param bias? boolean
function kiln.nn.LayerNorm(normalized_shape, eps, elementwise_affine, bias) end

--- BatchNorm, whose num_features are those of its first input.  Shapes: (N, C, L) -> the same
---@param eps? number
---@param momentum? any
---@param affine? boolean
---@param track_running_stats? boolean
---@param bias? boolean
function kiln.nn.LazyBatchNorm1d(eps, momentum, affine, track_running_stats, bias) end

--- BatchNorm, whose num_features are those of its first input.  Shapes: (N, C, H, W) -> the same
---@param eps? number
---@param momentum? any
---@param affine? boolean
---@param track_running_stats? boolean
---@param bias? boolean
function kiln.nn.LazyBatchNorm2d(eps, momentum, affine, track_running_stats, bias) end

--- BatchNorm, whose num_features are those of its first input.  Shapes: (N, C, D, H, W) -> the same
---@param eps? number
---@param momentum? any
---@param affine? boolean
---@param track_running_stats? boolean
---@param bias? boolean
function kiln.nn.LazyBatchNorm3d(eps, momentum, affine, track_running_stats, bias) end

--- InstanceNorm, whose num_features are those of its first input.  Shapes: (N, C, L) -> the same
---@param eps? number
---@param momentum? number
---@param affine? boolean
---@param track_running_stats? boolean
---@param bias? boolean
function kiln.nn.LazyInstanceNorm1d(eps, momentum, affine, track_running_stats, bias) end

--- InstanceNorm, whose num_features are those of its first input.  Shapes: (N, C, H, W) -> the same
---@param eps? number
---@param momentum? number
---@param affine? boolean
---@param track_running_stats? boolean
---@param bias? boolean
function kiln.nn.LazyInstanceNorm2d(eps, momentum, affine, track_running_stats, bias) end

--- InstanceNorm, whose num_features are those of its first input.  Shapes: (N, C, D, H, W) -> the same
---@param eps? number
---@param momentum? number
---@param affine? boolean
---@param track_running_stats? boolean
---@param bias? boolean
function kiln.nn.LazyInstanceNorm3d(eps, momentum, affine, track_running_stats, bias) end

--- x over a power of the squares of neighbouring channels (Krizhevsky et al. 2012).  Shapes: (N, C, *) -> the same
---@param size integer
---@param alpha? number
---@param beta? number
---@param k? number
function kiln.nn.LocalResponseNorm(size, alpha, beta, k) end

--- x over its root mean square over the last dims (Zhang and Sennrich 2019).  Shapes: (*) -> (*)
---@param normalized_shape any
---@param eps? number
---@param elementwise_affine? boolean
function kiln.nn.RMSNorm(normalized_shape, eps, elementwise_affine) end

--- BatchNorm of any dims; one process, whose batch it is over. convert_sync_batchnorm(net) puts it in the place of every BatchNorm.  Shapes: (N, C, *) -> the same
---@param num_features integer
---@param eps? number
---@param momentum? any
---@param affine? boolean
---@param track_running_stats? boolean
---@param process_group? any
---@param bias? boolean
function kiln.nn.SyncBatchNorm(num_features, eps, momentum, affine, track_running_stats, process_group, bias) end

--- Cho et al. 2014; gates r z n.  Shapes: (L, N, input) [, h] -> (L, N, D hidden), h
---@param input_size integer
---@param hidden_size integer
---@param num_layers? integer
---@param bias? boolean
---@param batch_first? boolean
---@param dropout? number
---@param bidirectional? boolean
function kiln.nn.GRU(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional) end

--- One step of GRU.  Shapes: (N, input) [, (N, hidden)] -> (N, hidden)
---@param input_size integer
---@param hidden_size integer
---@param bias? boolean
function kiln.nn.GRUCell(input_size, hidden_size, bias) end

--- Hochreiter and Schmidhuber 1997; gates i f g o; proj_size projects h (Sak et al. 2014).  Shapes: (L, N, input) [, {h, c}] -> (L, N, D hidden), {h, c}
---@param input_size integer
---@param hidden_size integer
---@param num_layers? integer
---@param bias? boolean
---@param batch_first? boolean
---@param dropout? number
---@param bidirectional? boolean
---@param proj_size? integer
function kiln.nn.LSTM(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size) end

--- One step of LSTM.  Shapes: (N, input) [, {h, c}] -> h, c
---@param input_size integer
---@param hidden_size integer
---@param bias? boolean
function kiln.nn.LSTMCell(input_size, hidden_size, bias) end

--- h = tanh (or relu) of W x + U h + b, layer on layer.  Shapes: (L, N, input) [, h] -> (L, N, D hidden), h
---@param input_size integer
---@param hidden_size integer
---@param num_layers? integer
---@param nonlinearity? 'tanh'|'relu'
---@param bias? boolean
---@param batch_first? boolean
---@param dropout? number
---@param bidirectional? boolean
function kiln.nn.RNN(input_size, hidden_size, num_layers, nonlinearity, bias, batch_first, dropout, bidirectional) end

--- RNN, LSTM or GRU, by mode; all of them are one.  Shapes: (L, N, input) [, state] -> (L, N, D hidden), state
---@param mode 'LSTM'|'GRU'|'RNN_TANH'|'RNN_RELU'
---@param input_size integer
---@param hidden_size integer
---@param num_layers? integer
---@param bias? boolean
---@param batch_first? boolean
---@param dropout? number
---@param bidirectional? boolean
---@param proj_size? integer
function kiln.nn.RNNBase(mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size) end

--- One step of RNN.  Shapes: (N, input) [, (N, hidden)] -> (N, hidden)
---@param input_size integer
---@param hidden_size integer
---@param bias? boolean
---@param nonlinearity? 'tanh'|'relu'
function kiln.nn.RNNCell(input_size, hidden_size, bias, nonlinearity) end

--- What RNNCell, LSTMCell and GRUCell are.  Shapes: none: it has no arithmetic
---@param input_size integer
---@param hidden_size integer
---@param bias boolean
---@param num_chunks integer
function kiln.nn.RNNCellBase(input_size, hidden_size, bias, num_chunks) end

--- Attention of several heads (Vaswani et al. 2017). A bool mask marks what is hidden, a floating one is added.  Shapes: query (L, N, E), key, value (S, N, E) -> (L, N, E), weights (N, L, S)
---@param embed_dim integer
---@param num_heads integer
---@param dropout? number
---@param bias? boolean
---@param add_bias_kv? boolean
---@param add_zero_attn? boolean
---@param kdim? integer
---@param vdim? integer
---@param batch_first? boolean
function kiln.nn.MultiheadAttention(embed_dim, num_heads, dropout, bias, add_bias_kv, add_zero_attn, kdim, vdim, batch_first) end

--- An encoder and a decoder, or modules in their place.  Shapes: src, tgt: (L, N, d_model), batch_first (N, L, d_model)
---@param d_model? integer
---@param nhead? integer
---@param num_encoder_layers? integer
---@param num_decoder_layers? integer
---@param dim_feedforward? integer
---@param dropout? number
---@param activation? any
---@param custom_encoder? kiln.nn.Module
---@param custom_decoder? kiln.nn.Module
---@param layer_norm_eps? number
---@param batch_first? boolean
---@param norm_first? boolean
---@param bias? boolean
function kiln.nn.Transformer(d_model, nhead, num_encoder_layers, num_decoder_layers, dim_feedforward, dropout, activation, custom_encoder, custom_decoder, layer_norm_eps, batch_first, norm_first, bias) end

--- num_layers copies of a decoder layer, and a norm.  Shapes: (L, N, d_model), batch_first (N, L, d_model)
---@param decoder_layer kiln.nn.Module
---@param num_layers integer
---@param norm? kiln.nn.Module
function kiln.nn.TransformerDecoder(decoder_layer, num_layers, norm) end

--- The same, and attention to a memory in between.  Shapes: (L, N, d_model), batch_first (N, L, d_model)
---@param d_model integer
---@param nhead integer
---@param dim_feedforward? integer
---@param dropout? number
---@param activation? any
---@param layer_norm_eps? number
---@param batch_first? boolean
---@param norm_first? boolean
---@param bias? boolean
function kiln.nn.TransformerDecoderLayer(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias) end

--- num_layers copies of a layer, and a norm.  Shapes: (L, N, d_model), batch_first (N, L, d_model)
---@param encoder_layer kiln.nn.Module
---@param num_layers integer
---@param norm? kiln.nn.Module
function kiln.nn.TransformerEncoder(encoder_layer, num_layers, norm) end

--- Self-attention and a feed-forward part, each with a residual and a norm.  Shapes: (L, N, d_model), batch_first (N, L, d_model)
---@param d_model integer
---@param nhead integer
---@param dim_feedforward? integer
---@param dropout? number
---@param activation? any
---@param layer_norm_eps? number
---@param batch_first? boolean
---@param norm_first? boolean
---@param bias? boolean
function kiln.nn.TransformerEncoderLayer(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias) end

--- Log-probabilities of many classes whose rare ones share small layers (Grave et al. 2017); also log_prob(x), predict(x). Parameters head.weight, tail.k.0.weight, tail.k.1.weight.  Shapes: (N, in_features), target (N) classes from 1 -> (N), ()
---@param in_features integer
---@param n_classes integer
---@param cutoffs table
---@param div_value? number
---@param head_bias? boolean
function kiln.nn.AdaptiveLogSoftmaxWithLoss(in_features, n_classes, cutoffs, div_value, head_bias) end

--- -(target log x + (1 - target) log(1 - x)), logarithms not below -100.  Shapes: (*), target (*) -> (), or (*) with reduction 'none'
---@param weight? kiln.Tensor
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.BCELoss(weight, size_average, reduce, reduction) end

--- BCELoss of sigmoid(x), without overflow; pos_weight weighs target 1.  Shapes: (*), target (*) -> (), or (*) with reduction 'none'
---@param weight? kiln.Tensor
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@param pos_weight? kiln.Tensor
function kiln.nn.BCEWithLogitsLoss(weight, size_average, reduce, reduction, pos_weight) end

--- Connectionist temporal classification (Graves et al. 2006).  Shapes: log_probs (L, N, C), targets (N, S) or all in one, lengths (N), (N)
---@param blank? integer
---@param reduction? 'mean'|'sum'|'none'
---@param zero_infinity? boolean
function kiln.nn.CTCLoss(blank, reduction, zero_infinity) end

--- 1 - cosine where target is 1, max(0, cosine - margin) where it is -1.  Shapes: (N, n), (N, n), target (N)
---@param margin? number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.CosineEmbeddingLoss(margin, size_average, reduce, reduction) end

--- The cosine of the angle along dim.  Shapes: (*), (*) -> (*) without dim
---@param dim? integer
---@param eps? number
function kiln.nn.CosineSimilarity(dim, eps) end

--- NLLLoss of log_softmax(x); targets may be probabilities; label_smoothing (Szegedy et al. 2016).  Shapes: (N, C, *), target (N, *) classes from 1, or (N, C, *) probabilities
---@param weight? kiln.Tensor
---@param size_average? boolean
---@param ignore_index? integer
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@param label_smoothing? number
function kiln.nn.CrossEntropyLoss(weight, size_average, ignore_index, reduce, reduction, label_smoothing) end

--- (log var + (x - target)^2 / var) / 2 (Nix and Weigend 1994).  Shapes: (*), target (*), var (*) or (*, 1)
---@param full? boolean
---@param eps? number
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.GaussianNLLLoss(full, eps, reduction) end

--- x where target is 1, max(0, margin - x) where it is -1.  Shapes: (*), target (*) -> (), or (*) with reduction 'none'
---@param margin? number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.HingeEmbeddingLoss(margin, size_average, reduce, reduction) end

--- Quadratic up to delta, linear above (Huber 1964).  Shapes: (*), target (*) -> (), or (*) with reduction 'none'
---@param reduction? 'mean'|'sum'|'none'
---@param delta? number
function kiln.nn.HuberLoss(reduction, delta) end

--- target (log target - x), x log-probabilities; 'batchmean' is the divergence.  Shapes: (*), target (*) -> (), or (*) with reduction 'none'
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'|'batchmean'
---@param log_target? boolean
function kiln.nn.KLDivLoss(size_average, reduce, reduction, log_target) end

--- |x - target|.  Shapes: (*), target (*) -> (), or (*) with reduction 'none'
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.L1Loss(size_average, reduce, reduction) end

--- CrossEntropyLoss of what a linear layer of its own makes of the input.  Shapes: (N, in_features), target (N) -> (), or (N) with reduction 'none'
---@param in_features integer
---@param num_classes integer
---@param out_features? table
---@param bias? boolean
---@param reduction? 'mean'|'sum'|'none'
---@param weight? kiln.Tensor
---@param ignore_index? integer
---@param label_smoothing? number
function kiln.nn.LinearCrossEntropyLoss(in_features, num_classes, out_features, bias, reduction, weight, ignore_index, label_smoothing) end

--- (x - target)^2.  Shapes: (*), target (*) -> (), or (*) with reduction 'none'
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.MSELoss(size_average, reduce, reduction) end

--- max(0, margin - target (x1 - x2)), target 1 or -1.  Shapes: (*), (*), target (*)
---@param margin? number
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.MarginRankingLoss(margin, size_average, reduce, reduction) end

--- A hinge between each target class and each other class; targets of a row end at a 0.  Shapes: (N, C), target (N, C) positions from 1
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.MultiLabelMarginLoss(size_average, reduce, reduction) end

--- BCEWithLogitsLoss averaged over the classes.  Shapes: (N, C), target (N, C)
---@param weight? kiln.Tensor
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.MultiLabelSoftMarginLoss(weight, size_average, reduce, reduction) end

--- max(0, margin - x at the target + x elsewhere)^p over C.  Shapes: (N, C), target (N) -> (), or (N) with reduction 'none'
---@param p? integer
---@param margin? number
---@param weight? kiln.Tensor
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.MultiMarginLoss(p, margin, weight, size_average, reduce, reduction) end

--- -x at the target class, x log-probabilities; a mean is weighted by the classes' weights.  Shapes: (N, C, *), target (N, *) classes from 1
---@param weight? kiln.Tensor
---@param size_average? boolean
---@param ignore_index? integer
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.NLLLoss(weight, size_average, ignore_index, reduce, reduction) end

--- NLLLoss, by its older name.  Shapes: (N, C, H, W), target (N, H, W)
---@param weight? kiln.Tensor
---@param size_average? boolean
---@param ignore_index? integer
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.NLLLoss2d(weight, size_average, ignore_index, reduce, reduction) end

--- The p-norm of x1 - x2 + eps.  Shapes: (N, n), (N, n) -> (N)
---@param p? number
---@param eps? number
---@param keepdim? boolean
function kiln.nn.PairwiseDistance(p, eps, keepdim) end

--- exp(x) - target x, for counts.  Shapes: (*), target (*) -> (), or (*) with reduction 'none'
---@param log_input? boolean
---@param full? boolean
---@param size_average? boolean
---@param eps? number
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.PoissonNLLLoss(log_input, full, size_average, eps, reduce, reduction) end

--- Quadratic below beta, linear above (Girshick 2015).  Shapes: (*), target (*) -> (), or (*) with reduction 'none'
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
---@param beta? number
function kiln.nn.SmoothL1Loss(size_average, reduce, reduction, beta) end

--- log(1 + exp(-target x)), target 1 or -1.  Shapes: (*), target (*) -> (), or (*) with reduction 'none'
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.SoftMarginLoss(size_average, reduce, reduction) end

--- max(0, distance to positive - distance to negative + margin) (Balntas et al. 2016).  Shapes: anchor, positive, negative (N, n)
---@param margin? number
---@param p? number
---@param eps? number
---@param swap? boolean
---@param size_average? boolean
---@param reduce? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.TripletMarginLoss(margin, p, eps, swap, size_average, reduce, reduction) end

--- TripletMarginLoss by any distance_function(x1, x2).  Shapes: anchor, positive, negative (N, *)
---@param distance_function? function
---@param margin? number
---@param swap? boolean
---@param reduction? 'mean'|'sum'|'none'
function kiln.nn.TripletMarginWithDistanceLoss(distance_function, margin, swap, reduction) end

--- Channels of groups take turns (Zhang et al. 2018).  Shapes: (N, C, *) -> the same
---@param groups integer
function kiln.nn.ChannelShuffle(groups) end

--- Channels become pixels (Shi et al. 2016).  Shapes: (N, C r r, H, W) -> (N, C, H r, W r)
---@param upscale_factor integer
function kiln.nn.PixelShuffle(upscale_factor) end

--- Pixels become channels.  Shapes: (N, C, H r, W r) -> (N, C r r, H, W)
---@param downscale_factor integer
function kiln.nn.PixelUnshuffle(downscale_factor) end

--- Nearest, linear or cubic interpolation to a size or by a factor.  Shapes: (N, C, *) -> (N, C, *')
---@param size? any
---@param scale_factor? any
---@param mode? 'nearest'|'nearest-exact'|'linear'|'bilinear'|'bicubic'|'trilinear'|'area'
---@param align_corners? boolean
---@param recompute_scale_factor? boolean
function kiln.nn.Upsample(size, scale_factor, mode, align_corners, recompute_scale_factor) end

--- Upsample, bilinear with align_corners.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param size? any
---@param scale_factor? any
function kiln.nn.UpsamplingBilinear2d(size, scale_factor) end

--- Upsample, nearest.  Shapes: (N, C, H, W) -> (N, C', H', W')
---@param size? any
---@param scale_factor? any
function kiln.nn.UpsamplingNearest2d(size, scale_factor) end

--- A module on several devices, each with a share of the batch.  Shapes: of the module
---@param module kiln.nn.Module
---@param device_ids? table
---@param output_device? any
---@param dim? integer
function kiln.nn.DataParallel(module, device_ids, output_device, dim) end

--- A module in several processes, whose gradients are averaged.  Shapes: of the module
---@param module kiln.nn.Module
---@param device_ids? table
---@param output_device? any
---@param dim? integer
---@param broadcast_buffers? boolean
---@param process_group? table
function kiln.nn.DistributedDataParallel(module, device_ids, output_device, dim, broadcast_buffers, process_group) end

--- What all layers are: parameters, buffers and modules register on assignment.  Shapes: forward decides
function kiln.nn.Module() end

--- Modules by name.  Shapes: none
---@param modules table
function kiln.nn.ModuleDict(modules) end

--- Modules by position from 1; for i, m in list:iter().  Shapes: none
---@param modules table
function kiln.nn.ModuleList(modules) end

--- Parameters by name.  Shapes: none
---@param parameters table
function kiln.nn.ParameterDict(parameters) end

--- Parameters by position from 1.  Shapes: none
---@param parameters table
function kiln.nn.ParameterList(parameters) end

--- Modules one after another.  Shapes: of the first -> of the last
---@param module kiln.nn.Module
function kiln.nn.Sequential(module) end

---@class kiln.optim
kiln.optim = {}

--- Averaged SGD (Polyak and Juditsky 1992).
---@param lr? number
---@param lambd? number
---@param alpha? number
---@param t0? number
---@param weight_decay? number
---@param maximize? boolean
function kiln.optim.ASGD(params, lr, lambd, alpha, t0, weight_decay, maximize) end

--- Steps as large as earlier ones, over a running mean of g^2 (Zeiler 2012).
---@param lr? number
---@param rho? number
---@param eps? number
---@param weight_decay? number
---@param maximize? boolean
function kiln.optim.Adadelta(params, lr, rho, eps, weight_decay, maximize) end

--- Adam whose second moments of a matrix are those of its rows and columns (Shazeer and Stern 2018).
---@param lr? number
---@param beta2_decay? number
---@param eps? any
---@param d? number
---@param weight_decay? number
---@param maximize? boolean
function kiln.optim.Adafactor(params, lr, beta2_decay, eps, d, weight_decay, maximize) end

--- p - lr g / (sqrt(sum of g^2) + eps) (Duchi et al. 2011).
---@param lr? number
---@param lr_decay? number
---@param weight_decay? number
---@param initial_accumulator_value? number
---@param eps? number
---@param maximize? boolean
function kiln.optim.Adagrad(params, lr, lr_decay, weight_decay, initial_accumulator_value, eps, maximize) end

--- p - lr m / (sqrt(v) + eps), m and v running means of g and g^2 without their bias (Kingma and Ba 2015); amsgrad by Reddi et al. 2018.
---@param lr? number
---@param betas? number[]
---@param eps? number
---@param weight_decay? number
---@param amsgrad? boolean
---@param decoupled_weight_decay? boolean
---@param maximize? boolean
function kiln.optim.Adam(params, lr, betas, eps, weight_decay, amsgrad, decoupled_weight_decay, maximize) end

--- Adam with decay apart from the gradient (Loshchilov and Hutter 2019).
---@param lr? number
---@param betas? number[]
---@param eps? number
---@param weight_decay? number
---@param amsgrad? boolean
---@param maximize? boolean
function kiln.optim.AdamW(params, lr, betas, eps, weight_decay, amsgrad, maximize) end

--- Adam by the infinity norm (Kingma and Ba 2015).
---@param lr? number
---@param betas? number[]
---@param eps? number
---@param weight_decay? number
---@param maximize? boolean
function kiln.optim.Adamax(params, lr, betas, eps, weight_decay, maximize) end

--- Newton's direction from the last gradients (Liu and Nocedal 1989), with a strong Wolfe line search; step needs a closure.
---@param lr? number
---@param max_iter? integer
---@param max_eval? integer
---@param tolerance_grad? number
---@param tolerance_change? number
---@param history_size? integer
---@param line_search_fn? 'none'|'strong_wolfe'
---@param maximize? boolean
function kiln.optim.LBFGS(params, lr, max_iter, max_eval, tolerance_grad, tolerance_change, history_size, line_search_fn, maximize) end

--- The sign of an interpolated momentum (Chen et al. 2023).
---@param lr? number
---@param betas? number[]
---@param weight_decay? number
---@param maximize? boolean
function kiln.optim.Lion(params, lr, betas, weight_decay, maximize) end

--- Momentum made orthogonal by Newton-Schulz steps, for matrices (Jordan et al. 2024).
---@param lr? number
---@param weight_decay? number
---@param momentum? number
---@param nesterov? boolean
---@param ns_coefficients? any
---@param eps? number
---@param ns_steps? integer
---@param adjust_lr_fn? 'original'|'match_rms_adamw'
---@param maximize? boolean
function kiln.optim.Muon(params, lr, weight_decay, momentum, nesterov, ns_coefficients, eps, ns_steps, adjust_lr_fn, maximize) end

--- Adam with Nesterov's momentum (Dozat 2016).
---@param lr? number
---@param betas? number[]
---@param eps? number
---@param weight_decay? number
---@param momentum_decay? number
---@param decoupled_weight_decay? boolean
---@param maximize? boolean
function kiln.optim.NAdam(params, lr, betas, eps, weight_decay, momentum_decay, decoupled_weight_decay, maximize) end

--- Adam whose variance is rectified (Liu et al. 2020).
---@param lr? number
---@param betas? number[]
---@param eps? number
---@param weight_decay? number
---@param decoupled_weight_decay? boolean
---@param maximize? boolean
function kiln.optim.RAdam(params, lr, betas, eps, weight_decay, decoupled_weight_decay, maximize) end

--- p - lr g / (sqrt(running mean of g^2) + eps) (Tieleman and Hinton 2012; centered by Graves 2013).
---@param lr? number
---@param alpha? number
---@param eps? number
---@param weight_decay? number
---@param momentum? number
---@param centered? boolean
---@param maximize? boolean
function kiln.optim.RMSprop(params, lr, alpha, eps, weight_decay, momentum, centered, maximize) end

--- Steps that grow while the sign of the gradient stays (Riedmiller and Braun 1993).
---@param lr? number
---@param etas? number[]
---@param step_sizes? number[]
---@param maximize? boolean
function kiln.optim.Rprop(params, lr, etas, step_sizes, maximize) end

--- p - lr (momentum m + g); Nesterov's form by Sutskever et al. 2013.
---@param lr? number
---@param momentum? number
---@param dampening? number
---@param weight_decay? number
---@param nesterov? boolean
---@param maximize? boolean
function kiln.optim.SGD(params, lr, momentum, dampening, weight_decay, nesterov, maximize) end

--- Adam of the rows that a row-sparse gradient holds.
---@param lr? number
---@param betas? number[]
---@param eps? number
---@param maximize? boolean
function kiln.optim.SparseAdam(params, lr, betas, eps, maximize) end

---@class kiln.optim.lr_scheduler
kiln.optim.lr_scheduler = {}

--- Several schedules at once.
---@param schedulers table
---@param optimizer? any
function kiln.optim.lr_scheduler.ChainedScheduler(schedulers, optimizer) end

--- base factor until total_iters.
---@param factor? number
---@param total_iters? integer
function kiln.optim.lr_scheduler.ConstantLR(optimizer, factor, total_iters) end

--- Half a cosine from base to eta_min (Loshchilov and Hutter 2017).
---@param T_max number
---@param eta_min? number
function kiln.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max, eta_min) end

--- The same, again and again, each T_mult times longer.
---@param T_0 integer
---@param T_mult? integer
---@param eta_min? number
function kiln.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0, T_mult, eta_min) end

--- Up and down between base_lr and max_lr (Smith 2017).
---@param base_lr any
---@param max_lr any
---@param step_size_up? number
---@param step_size_down? number
---@param mode? 'triangular'|'triangular2'|'exp_range'
---@param gamma? number
---@param scale_fn? function
---@param scale_mode? 'cycle'|'iterations'
---@param cycle_momentum? boolean
---@param base_momentum? any
---@param max_momentum? any
function kiln.optim.lr_scheduler.CyclicLR(optimizer, base_lr, max_lr, step_size_up, step_size_down, mode, gamma, scale_fn, scale_mode, cycle_momentum, base_momentum, max_momentum) end

--- base gamma^epoch.
---@param gamma number
function kiln.optim.lr_scheduler.ExponentialLR(optimizer, gamma) end

--- base lr_lambda(epoch).
---@param lr_lambda any
function kiln.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda) end

--- From start_factor to end_factor, a warm-up.
---@param start_factor? number
---@param end_factor? number
---@param total_iters? integer
function kiln.optim.lr_scheduler.LinearLR(optimizer, start_factor, end_factor, total_iters) end

--- times gamma at each milestone.
---@param milestones table
---@param gamma? number
function kiln.optim.lr_scheduler.MultiStepLR(optimizer, milestones, gamma) end

--- lr times lr_lambda(epoch), step after step.
---@param lr_lambda any
function kiln.optim.lr_scheduler.MultiplicativeLR(optimizer, lr_lambda) end

--- Up once and down once, momentum against it (Smith and Topin 2018).
---@param max_lr any
---@param total_steps? integer
---@param epochs? integer
---@param steps_per_epoch? integer
---@param pct_start? number
---@param anneal_strategy? 'cos'|'linear'
---@param cycle_momentum? boolean
---@param base_momentum? any
---@param max_momentum? any
---@param div_factor? number
---@param final_div_factor? number
---@param three_phase? boolean
function kiln.optim.lr_scheduler.OneCycleLR(optimizer, max_lr, total_steps, epochs, steps_per_epoch, pct_start, anneal_strategy, cycle_momentum, base_momentum, max_momentum, div_factor, final_div_factor, three_phase) end

--- base (1 - epoch / total_iters)^power.
---@param total_iters? integer
---@param power? number
function kiln.optim.lr_scheduler.PolynomialLR(optimizer, total_iters, power) end

--- times factor when a measurement stops getting better: step(loss).
---@param mode? 'min'|'max'
---@param factor? number
---@param patience? integer
---@param threshold? number
---@param threshold_mode? 'rel'|'abs'
---@param cooldown? integer
---@param min_lr? any
---@param eps? number
function kiln.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode, factor, patience, threshold, threshold_mode, cooldown, min_lr, eps) end

--- One schedule after another, at milestones.
---@param schedulers table
---@param milestones table
function kiln.optim.lr_scheduler.SequentialLR(optimizer, schedulers, milestones) end

--- base gamma^floor(epoch / step_size).
---@param step_size integer
---@param gamma? number
function kiln.optim.lr_scheduler.StepLR(optimizer, step_size, gamma) end

---@class kiln.optim.swa_utils
kiln.optim.swa_utils = {}

--- A copy of a model whose parameters are an average over training: update_parameters(model).  Shapes: of the model
---@param model kiln.nn.Module
---@param device? any
---@param avg_fn? function
---@param multi_avg_fn? function
---@param use_buffers? boolean
function kiln.optim.swa_utils.AveragedModel(model, device, avg_fn, multi_avg_fn, use_buffers) end

--- To a constant rate swa_lr in anneal_epochs, from the rate at its first step.
---@param swa_lr any
---@param anneal_epochs? integer
---@param anneal_strategy? 'cos'|'linear'
function kiln.optim.swa_utils.SWALR(optimizer, swa_lr, anneal_epochs, anneal_strategy) end

---@class kiln.distributions
kiln.distributions = {}

--- 1 with probability probs, else 0.  Shapes: parameters broadcast to the batch (*)
---@param probs? kiln.Tensor
---@param logits? kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Bernoulli(probs, logits, validate_args) end

--- x^(a-1) (1-x)^(b-1) on [0, 1].  Shapes: parameters broadcast to the batch (*)
---@param concentration1 kiln.Tensor
---@param concentration0 kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Beta(concentration1, concentration0, validate_args) end

--- Successes in total_count trials.  Shapes: parameters broadcast to the batch (*)
---@param total_count? number
---@param probs? kiln.Tensor
---@param logits? kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Binomial(total_count, probs, logits, validate_args) end

--- Positions 1..n by probs or logits.  Shapes: probs (*, n)
---@param probs? kiln.Tensor
---@param logits? kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Categorical(probs, logits, validate_args) end

--- 1 / (1 + ((x - loc) / scale)^2).  Shapes: parameters broadcast to the batch (*)
---@param loc kiln.Tensor
---@param scale kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Cauchy(loc, scale, validate_args) end

--- The sum of df squares of normal numbers.  Shapes: parameters broadcast to the batch (*)
---@param df kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Chi2(df, validate_args) end

--- probs^x (1 - probs)^(1-x) on [0, 1] (Loaiza-Ganem and Cunningham 2019); uniform between lims.  Shapes: parameters broadcast to the batch (*)
---@param probs? kiln.Tensor
---@param logits? kiln.Tensor
---@param lims? number[]
---@param validate_args? boolean
function kiln.distributions.ContinuousBernoulli(probs, logits, lims, validate_args) end

--- Probabilities of n classes.  Shapes: concentration (*, n)
---@param concentration kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Dirichlet(concentration, validate_args) end

--- rate exp(-rate x).  Shapes: parameters broadcast to the batch (*)
---@param rate kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Exponential(rate, validate_args) end

--- The ratio of two Chi2 numbers, each over its degrees of freedom.  Shapes: parameters broadcast to the batch (*)
---@param df1 kiln.Tensor
---@param df2 kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.FisherSnedecor(df1, df2, validate_args) end

--- x^(a-1) exp(-rate x).  Shapes: parameters broadcast to the batch (*)
---@param concentration kiln.Tensor
---@param rate kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Gamma(concentration, rate, validate_args) end

--- (1 + concentration z)^(-1 / concentration - 1), z = (x - loc) / scale, from loc on (Pickands 1975).  Shapes: parameters broadcast to the batch (*)
---@param loc kiln.Tensor
---@param scale kiln.Tensor
---@param concentration kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.GeneralizedPareto(loc, scale, concentration, validate_args) end

--- Failures before the first success.  Shapes: parameters broadcast to the batch (*)
---@param probs? kiln.Tensor
---@param logits? kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Geometric(probs, logits, validate_args) end

--- exp(z - exp(z)), z = (loc - x) / scale.  Shapes: parameters broadcast to the batch (*)
---@param loc kiln.Tensor
---@param scale kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Gumbel(loc, scale, validate_args) end

--- |x| of a Cauchy number around 0.  Shapes: parameters broadcast to the batch (*)
---@param scale kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.HalfCauchy(scale, validate_args) end

--- |x| of a normal number around 0.  Shapes: parameters broadcast to the batch (*)
---@param scale kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.HalfNormal(scale, validate_args) end

--- A distribution whose last dims of the batch are dims of one event.  Shapes: of the base
---@param base_distribution any
---@param reinterpreted_batch_ndims integer
---@param validate_args? boolean
function kiln.distributions.Independent(base_distribution, reinterpreted_batch_ndims, validate_args) end

--- 1 over a Gamma number.  Shapes: parameters broadcast to the batch (*)
---@param concentration kiln.Tensor
---@param rate kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.InverseGamma(concentration, rate, validate_args) end

--- a b x^(a-1) (1-x^a)^(b-1) on [0, 1] (Kumaraswamy 1980).  Shapes: parameters broadcast to the batch (*)
---@param concentration1 kiln.Tensor
---@param concentration0 kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Kumaraswamy(concentration1, concentration0, validate_args) end

--- Lower factors L of correlations, by det(L L')^(concentration - 1) (Lewandowski et al. 2009).  Shapes: concentration (*) -> (*, dim, dim)
---@param dim integer
---@param concentration? any
---@param validate_args? boolean
function kiln.distributions.LKJCholesky(dim, concentration, validate_args) end

--- exp(-|x - loc| / scale).  Shapes: parameters broadcast to the batch (*)
---@param loc kiln.Tensor
---@param scale kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Laplace(loc, scale, validate_args) end

--- exp of a normal number.  Shapes: parameters broadcast to the batch (*)
---@param loc kiln.Tensor
---@param scale kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.LogNormal(loc, scale, validate_args) end

--- A normal vector [n] as n + 1 probabilities, by StickBreakingTransform.  Shapes: parameters (*, n)
---@param loc kiln.Tensor
---@param scale kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.LogisticNormal(loc, scale, validate_args) end

--- A normal vector of covariance cov_factor cov_factor' + diag(cov_diag).  Shapes: loc, cov_diag (*, n), cov_factor (*, n, rank)
---@param loc kiln.Tensor
---@param cov_factor kiln.Tensor
---@param cov_diag kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.LowRankMultivariateNormal(loc, cov_factor, cov_diag, validate_args) end

--- One of several distributions of a kind, chosen by a Categorical.  Shapes: components in the last dim of the batch
---@param mixture_distribution any
---@param component_distribution any
---@param validate_args? boolean
function kiln.distributions.MixtureSameFamily(mixture_distribution, component_distribution, validate_args) end

--- Counts of total_count draws from n classes.  Shapes: probs (*, n)
---@param total_count? integer
---@param probs? kiln.Tensor
---@param logits? kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Multinomial(total_count, probs, logits, validate_args) end

--- A normal vector, by one of three matrices.  Shapes: loc (*, n), matrices (*, n, n)
---@param loc kiln.Tensor
---@param covariance_matrix? kiln.Tensor
---@param precision_matrix? kiln.Tensor
---@param scale_tril? kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.MultivariateNormal(loc, covariance_matrix, precision_matrix, scale_tril, validate_args) end

--- Successes before total_count failures.  Shapes: parameters broadcast to the batch (*)
---@param total_count kiln.Tensor
---@param probs? kiln.Tensor
---@param logits? kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.NegativeBinomial(total_count, probs, logits, validate_args) end

--- exp(-((x - loc) / scale)^2 / 2).  Shapes: parameters broadcast to the batch (*)
---@param loc kiln.Tensor
---@param scale kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Normal(loc, scale, validate_args) end

--- Categorical as vectors of 0 and one 1.  Shapes: probs (*, n)
---@param probs? kiln.Tensor
---@param logits? kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.OneHotCategorical(probs, logits, validate_args) end

--- The same with samples that pass the gradient on to probs (Bengio et al. 2013).  Shapes: probs (*, n)
---@param probs? kiln.Tensor
---@param logits? kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.OneHotCategoricalStraightThrough(probs, logits, validate_args) end

--- alpha scale^alpha / x^(alpha+1) from scale on.  Shapes: parameters broadcast to the batch (*)
---@param scale kiln.Tensor
---@param alpha kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Pareto(scale, alpha, validate_args) end

--- Counts of events at a rate.  Shapes: parameters broadcast to the batch (*)
---@param rate kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Poisson(rate, validate_args) end

--- Bernoulli with samples between 0 and 1 and gradients (Maddison et al. 2017).  Shapes: parameters broadcast to the batch (*)
---@param temperature kiln.Tensor
---@param probs? kiln.Tensor
---@param logits? kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.RelaxedBernoulli(temperature, probs, logits, validate_args) end

--- OneHotCategorical with samples in the simplex and gradients (Jang et al. 2017).  Shapes: probs (*, n)
---@param temperature kiln.Tensor
---@param probs? kiln.Tensor
---@param logits? kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.RelaxedOneHotCategorical(temperature, probs, logits, validate_args) end

--- Student's t with df, loc, scale.  Shapes: parameters broadcast to the batch (*)
---@param df kiln.Tensor
---@param loc? number
---@param scale? number
---@param validate_args? boolean
function kiln.distributions.StudentT(df, loc, scale, validate_args) end

--- What transforms make of a distribution's samples.  Shapes: of the base
---@param base_distribution any
---@param transforms any
---@param validate_args? boolean
function kiln.distributions.TransformedDistribution(base_distribution, transforms, validate_args) end

--- Constant on [low, high).  Shapes: parameters broadcast to the batch (*)
---@param low kiln.Tensor
---@param high kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Uniform(low, high, validate_args) end

--- exp(concentration cos(x - loc)) on a circle, -pi to pi.  Shapes: parameters broadcast to the batch (*)
---@param loc kiln.Tensor
---@param concentration kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.VonMises(loc, concentration, validate_args) end

--- scale times a power 1 / concentration of an exponential number.  Shapes: parameters broadcast to the batch (*)
---@param scale kiln.Tensor
---@param concentration kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Weibull(scale, concentration, validate_args) end

--- Positive definite matrices, by one of three matrices: sums of df products of a normal vector with itself.  Shapes: df (*), matrices (*, n, n)
---@param df any
---@param covariance_matrix? kiln.Tensor
---@param precision_matrix? kiln.Tensor
---@param scale_tril? kiln.Tensor
---@param validate_args? boolean
function kiln.distributions.Wishart(df, covariance_matrix, precision_matrix, scale_tril, validate_args) end

--- |x|, which cannot be undone.
function kiln.distributions.AbsTransform() end

--- loc + scale x.
---@param loc any
---@param scale any
---@param event_dim? integer
function kiln.distributions.AffineTransform(loc, scale, event_dim) end

--- Slices along a dim, each of its own length and with a transform of its own.
---@param tseq table
---@param dim? integer
---@param lengths? table
function kiln.distributions.CatTransform(tseq, dim, lengths) end

--- Several, the first in the list first.
---@param parts table
function kiln.distributions.ComposeTransform(parts) end

--- n (n - 1) / 2 numbers as the lower factor of a correlation [n, n].
function kiln.distributions.CorrCholeskyTransform() end

--- A distribution's cdf.
---@param distribution any
function kiln.distributions.CumulativeDistributionTransform(distribution) end

--- exp(x).
function kiln.distributions.ExpTransform() end

--- A transform whose last dims belong to one event.
---@param base_transform any
---@param reinterpreted_batch_ndims integer
function kiln.distributions.IndependentTransform(base_transform, reinterpreted_batch_ndims) end

--- The lower triangle of a matrix, with exp of its diagonal.
function kiln.distributions.LowerCholeskyTransform() end

--- L L' for the L of LowerCholeskyTransform.
function kiln.distributions.PositiveDefiniteTransform() end

--- x^exponent, for x above 0.
---@param exponent any
function kiln.distributions.PowerTransform(exponent) end

--- The last dims, in_shape, as out_shape.
---@param in_shape table
---@param out_shape table
function kiln.distributions.ReshapeTransform(in_shape, out_shape) end

--- 1 / (1 + exp(-x)).
function kiln.distributions.SigmoidTransform() end

--- The softmax of a vector, which cannot be undone.
function kiln.distributions.SoftmaxTransform() end

--- log(1 + exp(x)).
function kiln.distributions.SoftplusTransform() end

--- The slices along a dim, each with a transform of its own.
---@param tseq table
---@param dim? integer
function kiln.distributions.StackTransform(tseq, dim) end

--- n numbers as n + 1 probabilities.
function kiln.distributions.StickBreakingTransform() end

--- The hyperbolic tangent.
function kiln.distributions.TanhTransform() end

---@class kiln.utils.data
kiln.utils.data = {}

--- Lists of batch_size positions.
---@param sampler table
---@param batch_size integer
---@param drop_last? boolean
function kiln.utils.data.BatchSampler(sampler, batch_size, drop_last) end

--- Streams one after another.
---@param datasets table
function kiln.utils.data.ChainDataset(datasets) end

--- Several, one after another.
---@param datasets table
function kiln.utils.data.ConcatDataset(datasets) end

--- Batches in the order of a sampler, by worker threads if wanted.
---@param dataset any
---@param batch_size? any
---@param shuffle? boolean
---@param sampler? table
---@param batch_sampler? table
---@param num_workers? integer
---@param collate_fn? function
---@param pin_memory? boolean
---@param drop_last? boolean
---@param timeout? number
---@param worker_init_fn? function
---@param multiprocessing_context? any
---@param generator? kiln.Generator
---@param prefetch_factor? integer
---@param persistent_workers? boolean
---@param pin_memory_device? string
---@param in_order? boolean
function kiln.utils.data.DataLoader(dataset, batch_size, shuffle, sampler, batch_sampler, num_workers, collate_fn, pin_memory, drop_last, timeout, worker_init_fn, multiprocessing_context, generator, prefetch_factor, persistent_workers, pin_memory_device, in_order) end

--- len() samples, get(i) one of them.
function kiln.utils.data.Dataset() end

--- The share of one of several processes.
---@param dataset table
---@param num_replicas? integer
---@param rank? integer
---@param shuffle? boolean
---@param seed? integer
---@param drop_last? boolean
function kiln.utils.data.DistributedSampler(dataset, num_replicas, rank, shuffle, seed, drop_last) end

--- iter() gives samples one by one.
function kiln.utils.data.IterableDataset() end

--- A new random order each time, or draws with replacement.
---@param data_source table
---@param replacement? boolean
---@param num_samples? integer
---@param generator? kiln.Generator
function kiln.utils.data.RandomSampler(data_source, replacement, num_samples, generator) end

--- iter() gives positions, len() their number.
function kiln.utils.data.Sampler() end

--- 1, 2, ..., n.
---@param data_source table
function kiln.utils.data.SequentialSampler(data_source) end

--- Several side by side: sample i of each, in a row or by name.
---@param dataset table
function kiln.utils.data.StackDataset(dataset) end

--- Some positions of one.
---@param dataset table
---@param indices table
function kiln.utils.data.Subset(dataset, indices) end

--- Given positions in a random order.
---@param indices table
---@param generator? kiln.Generator
function kiln.utils.data.SubsetRandomSampler(indices, generator) end

--- Slices of tensors along their first dim.
---@param tensors kiln.Tensor
function kiln.utils.data.TensorDataset(tensors) end

--- Windows of a text and what follows.
---@param text string
---@param length integer
function kiln.utils.data.TextDataset(text, length) end

--- Draws by weight.
---@param weights table
---@param num_samples integer
---@param replacement? boolean
---@param generator? kiln.Generator
function kiln.utils.data.WeightedRandomSampler(weights, num_samples, replacement, generator) end

---@class kiln.vision.datasets
kiln.vision.datasets = {}

--- Xiao et al. 2017: 60000 and 10000 pictures of clothes in ten classes; root: a folder of its four gzipped files, left out where Debian's package is.  Shapes: (1, 28, 28), class
---@param root? string
---@param train? boolean
---@param transform? function
---@param target_transform? function
function kiln.vision.datasets.FashionMNIST(root, train, transform, target_transform) end

--- LeCun et al. 1998: digits, from four gzipped files in the folder root; class 1 is the digit 0.  Shapes: (1, 28, 28), class
---@param root? string
---@param train? boolean
---@param transform? function
---@param target_transform? function
function kiln.vision.datasets.MNIST(root, train, transform, target_transform) end
