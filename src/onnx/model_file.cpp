#include "onnx/model_file.h"

#include <exception>
#include <stdexcept>

// A field of another wire type than its number should have is the file's mistake, not ours: an exception like
// protozero's own.
#define protozero_assert(condition) ((condition) ? void() : throw std::runtime_error("a field has the wrong wire type"))
#include <protozero/pbf_reader.hpp>

namespace memline::onnx {
namespace {

using Reader = protozero::pbf_reader;
using Wire = protozero::pbf_wire_type;

std::string_view text(Reader& in) {
  const protozero::data_view view = in.get_view();
  return {view.data(), view.size()};
}
Reader message(Reader& in) { return in.get_message(); }

// A repeated number may come packed or one by one; `get` reads the lone kind, `get_packed` the other.
template <typename T, typename Get, typename GetPacked>
void append(Reader& in, std::vector<T>& values, Get&& get, GetPacked&& get_packed) {
  if (in.wire_type() != Wire::length_delimited) {
    values.push_back(static_cast<T>(get()));
    return;
  }
  for (const auto value : get_packed()) values.push_back(static_cast<T>(value));
}
void append_int64(Reader& in, std::vector<int64_t>& values) {
  append(
      in, values, [&] { return in.get_int64(); }, [&] { return in.get_packed_int64(); });
}

TextPair read_pair(Reader in) {
  TextPair pair;
  while (in.next()) {
    if (in.tag() == 1)
      pair.first = text(in);
    else if (in.tag() == 2)
      pair.second = text(in);
    else
      in.skip();
  }
  return pair;
}

void read_typed(Reader& in, TensorMessage& tensor) {
  if (tensor.typed_field != 0 && tensor.typed_field != in.tag())
    throw std::runtime_error("a tensor has two lists of values");
  tensor.typed_field = in.tag();
  switch (in.wire_type()) {
    case Wire::length_delimited:
      tensor.typed_runs.push_back(text(in));
      break;
    case Wire::fixed32:
      tensor.loose.push_back(in.get_fixed32());
      break;
    case Wire::fixed64:
      tensor.loose.push_back(in.get_fixed64());
      break;
    default:
      tensor.loose.push_back(in.get_uint64());
  }
}

TensorMessage read_tensor(Reader in) {
  TensorMessage tensor;
  while (in.next()) switch (in.tag()) {
      case 1:
        append_int64(in, tensor.dims);
        break;
      case 2:
        tensor.data_type = in.get_int32();
        break;
      case 4:
      case 5:
      case 7:
      case 10:
      case 11:
        read_typed(in, tensor);
        break;
      case 8:
        tensor.name = text(in);
        break;
      case 9:
        tensor.raw_data = text(in);
        break;
      case 13:
        tensor.external_data.push_back(read_pair(message(in)));
        break;
      case 14:
        tensor.is_external = in.get_int32() == 1;
        break;
      default:
        in.skip();
    }
  return tensor;
}

AttributeMessage read_attribute(Reader in) {
  AttributeMessage attribute;
  while (in.next()) switch (in.tag()) {
      case 1:
        attribute.name = text(in);
        break;
      case 2:
        attribute.f = in.get_float();
        break;
      case 3:
        attribute.i = in.get_int64();
        break;
      case 4:
        attribute.s = text(in);
        break;
      case 5:
        attribute.t = read_tensor(message(in));
        break;
      case 6:
        attribute.g = text(in);
        break;
      case 7:
        append(
            in, attribute.floats, [&] { return in.get_float(); }, [&] { return in.get_packed_float(); });
        break;
      case 8:
        append_int64(in, attribute.ints);
        break;
      case 9:
        attribute.strings.push_back(text(in));
        break;
      case 20:
        attribute.type = in.get_int32();
        break;
      case 21:
        attribute.reference = text(in);
        break;
      default:
        in.skip();
    }
  return attribute;
}

NodeMessage read_node(Reader in) {
  NodeMessage node;
  while (in.next()) switch (in.tag()) {
      case 1:
        node.inputs.push_back(text(in));
        break;
      case 2:
        node.outputs.push_back(text(in));
        break;
      case 3:
        node.name = text(in);
        break;
      case 4:
        node.op_type = text(in);
        break;
      case 5:
        node.attributes.push_back(read_attribute(message(in)));
        break;
      case 7:
        node.domain = text(in);
        break;
      default:
        in.skip();
    }
  return node;
}

std::vector<DimensionMessage> read_shape(Reader in) {
  std::vector<DimensionMessage> dims;
  while (in.next()) {
    if (in.tag() != 1) {
      in.skip();
      continue;
    }
    DimensionMessage dim;
    Reader inner = message(in);
    while (inner.next()) {
      if (inner.tag() == 1)
        dim.value = inner.get_int64();
      else if (inner.tag() == 2)
        dim.parameter = text(inner);
      else
        inner.skip();
    }
    // Old exporters write -1 or "?" for what they leave open; neither is a number or a name that two dimensions share.
    if (dim.value == -1) dim.value.reset();
    if (dim.parameter == "?") dim.parameter = {};
    dims.push_back(dim);
  }
  return dims;
}

void read_type(Reader in, ValueInfoMessage& value) {
  while (in.next()) {
    if (in.tag() != 1) {
      in.skip();
      continue;
    }
    value.is_tensor = true;
    Reader tensor = message(in);
    while (tensor.next()) {
      if (tensor.tag() == 1)
        value.element_type = tensor.get_int32();
      else if (tensor.tag() == 2)
        value.dims = read_shape(message(tensor));
      else
        tensor.skip();
    }
  }
}

ValueInfoMessage read_value_info(Reader in) {
  ValueInfoMessage value;
  while (in.next()) {
    if (in.tag() == 1)
      value.name = text(in);
    else if (in.tag() == 2)
      read_type(message(in), value);
    else
      in.skip();
  }
  return value;
}

GraphMessage read_graph_message(Reader in) {
  GraphMessage graph;
  while (in.next()) switch (in.tag()) {
      case 1:
        graph.nodes.push_back(read_node(message(in)));
        break;
      case 2:
        graph.name = text(in);
        break;
      case 5:
        graph.initializers.push_back(read_tensor(message(in)));
        break;
      case 11:
        graph.inputs.push_back(read_value_info(message(in)));
        break;
      case 12:
        graph.outputs.push_back(read_value_info(message(in)));
        break;
      case 13:
        graph.values.push_back(read_value_info(message(in)));
        break;
      case 15:
        ++graph.sparse_initializers;
        in.skip();
        break;
      default:
        in.skip();
    }
  return graph;
}

std::pair<std::string_view, int64_t> read_opset(Reader in) {
  std::pair<std::string_view, int64_t> opset;
  while (in.next()) {
    if (in.tag() == 1)
      opset.first = text(in);
    else if (in.tag() == 2)
      opset.second = in.get_int64();
    else
      in.skip();
  }
  return opset;
}

TextPair read_function(Reader in) {
  TextPair function;
  while (in.next()) {
    if (in.tag() == 1)
      function.second = text(in);
    else if (in.tag() == 10)
      function.first = text(in);
    else
      in.skip();
  }
  return function;
}

ModelMessage read_model_message(Reader in) {
  ModelMessage model;
  while (in.next()) switch (in.tag()) {
      case 1:
        model.ir_version = in.get_int64();
        break;
      case 7:
        model.graph = read_graph_message(message(in));
        break;
      case 8:
        model.opsets.push_back(read_opset(message(in)));
        break;
      case 14:
        model.metadata.push_back(read_pair(message(in)));
        break;
      case 25:
        model.functions.push_back(read_function(message(in)));
        break;
      default:
        in.skip();
    }
  return model;
}

// protozero throws on bytes that are no protobuf; this is the only place that it is called from.
template <typename T>
Result<T> guarded(T (*read)(Reader), Bytes bytes) {
  try {
    return read(Reader(bytes.data(), bytes.size()));
  } catch (const std::exception& error) {
    return invalid_model("this is no ONNX model, or it is cut off or damaged ({})", error.what());
  }
}

}  // namespace

Result<ModelMessage> read_model(Bytes bytes) {
  MEML_TRY(ModelMessage model, guarded(read_model_message, bytes));
  if (!model.graph) return invalid_model("this is no ONNX model: it holds no graph ({} bytes)", bytes.size());
  return model;
}

Result<GraphMessage> read_graph(Bytes bytes) { return guarded(read_graph_message, bytes); }

}  // namespace memline::onnx
