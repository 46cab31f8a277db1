"""What TensorBoard reads in the event files of a folder: for spec/tensorboard_spec.lua."""
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.plugins.hparams import metadata
from tensorboard.util import tensor_util

runs = EventMultiplexer().AddRunsFromDirectory(sys.argv[1]).Reload()
one: EventAccumulator = runs.GetAccumulator("one")
for tag in ("loss", "accuracy/test", "accuracy/train"):
    for event in one.Scalars(tag) if tag in one.Tags()["scalars"] else one.Tensors(tag):
        value = event.value if hasattr(event, "value") else tensor_util.make_ndarray(event.tensor_proto)
        print(tag, event.step, float(value))
for event in one.Histograms("weights"):
    print("weights", event.step, event.histogram_value.num, float(sum(event.histogram_value.bucket)))
for event in one.Images("picture"):
    print("picture", event.step, event.width, "x", event.height)
for event in one.Tensors("note/text_summary"):
    print("note", event.step, tensor_util.make_ndarray(event.tensor_proto)[0].decode())
for event in one.Tensors("found"):
    print("found", event.step, tensor_util.make_ndarray(event.tensor_proto).shape)
for event in one.Audio("beep"):
    print("beep", event.step, event.sample_rate, event.content_type)
params = runs.GetAccumulator("one/params")
content = params.PluginTagToContent("hparams")
experiment = metadata.parse_experiment_plugin_data(content[metadata.EXPERIMENT_TAG])
start = metadata.parse_session_start_info_plugin_data(content[metadata.SESSION_START_INFO_TAG])
print("hparams", [(info.name, info.type) for info in experiment.hparam_infos],
      [info.name.tag for info in experiment.metric_infos], start.hparams["lr"].number_value,
      start.hparams["name"].string_value, start.hparams["nesterov"].bool_value,
      metadata.parse_session_end_info_plugin_data(content[metadata.SESSION_END_INFO_TAG]).status)
graph = one.Graph()
assert isinstance(graph, GraphDef)
print("graph", graph.node[0].name)
