--- Puts every tensor that a spec makes on the device that KILN_SPEC_DEVICE names ("cuda"), and so the
-- results.  Loaded by busted before the specs (spec/run_spec.sh); raises where there is no such device.
local device = os.getenv "KILN_SPEC_DEVICE"
if device and device ~= "" then require("kiln").set_default_device(device) end
