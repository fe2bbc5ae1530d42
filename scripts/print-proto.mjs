// Prints a protobuf file descriptor as .proto text. It covers the features that buf/validate/validate.proto uses: proto2 and proto3,
// messages, enums, oneofs and extensions, but no maps. Custom options are left out. They matter only to the library that evaluates them,
// and that library reads its own descriptor.
import { FieldDescriptorProto_Label as Label, FieldDescriptorProto_Type as Type } from '@bufbuild/protobuf/wkt';

const scalar = new Map([
  [Type.DOUBLE, 'double'],
  [Type.FLOAT, 'float'],
  [Type.INT64, 'int64'],
  [Type.UINT64, 'uint64'],
  [Type.INT32, 'int32'],
  [Type.FIXED64, 'fixed64'],
  [Type.FIXED32, 'fixed32'],
  [Type.BOOL, 'bool'],
  [Type.STRING, 'string'],
  [Type.BYTES, 'bytes'],
  [Type.UINT32, 'uint32'],
  [Type.SFIXED32, 'sfixed32'],
  [Type.SFIXED64, 'sfixed64'],
  [Type.SINT32, 'sint32'],
  [Type.SINT64, 'sint64'],
]);

/** The text of `file` (a DescFile of @bufbuild/protobuf). */
export function printProto({ proto }) {
  const syntax = proto.syntax === '' ? 'proto2' : proto.syntax;
  const lines = [`syntax = "${syntax}";`, `package ${proto.package};`];
  for (const path of proto.dependency) lines.push(`import "${path}";`);
  for (const message of proto.messageType) printMessage(lines, '', message, syntax);
  for (const declared of proto.enumType) printEnum(lines, '', declared);
  for (const extension of proto.extension) {
    lines.push(`extend ${extension.extendee} {`);
    lines.push(`  ${printField(extension, syntax, true)}`, '}');
  }
  return lines.join('\n') + '\n';
}

function printMessage(lines, indent, message, syntax) {
  const inner = `${indent}  `;
  lines.push(`${indent}message ${message.name} {`);
  for (const nested of message.nestedType) printMessage(lines, inner, nested, syntax);
  for (const declared of message.enumType) printEnum(lines, inner, declared);
  const inOneof = (field) => field.oneofIndex !== undefined && isSet(field, 'oneofIndex') && !field.proto3Optional;
  for (const field of message.field) if (!inOneof(field)) lines.push(inner + printField(field, syntax, true));
  message.oneofDecl.forEach((oneof, index) => {
    const members = message.field.filter((field) => inOneof(field) && field.oneofIndex === index);
    if (members.length === 0) return;
    lines.push(`${inner}oneof ${oneof.name} {`);
    for (const field of members) lines.push(`${inner}  ${printField(field, syntax, false)}`);
    lines.push(`${inner}}`);
  });
  // The end of an extension range is exclusive in the descriptor and inclusive in the text.
  for (const range of message.extensionRange) {
    lines.push(`${inner}extensions ${range.start} to ${range.end >= 536870912 ? 'max' : range.end - 1};`);
  }
  lines.push(`${indent}}`);
}

function printEnum(lines, indent, declared) {
  lines.push(`${indent}enum ${declared.name} {`);
  if (declared.options?.allowAlias) lines.push(`${indent}  option allow_alias = true;`);
  for (const value of declared.value) lines.push(`${indent}  ${value.name} = ${value.number};`);
  lines.push(`${indent}}`);
}

function printField(field, syntax, withLabel) {
  const type = scalar.get(field.type) ?? field.typeName;
  const repeated = field.label === Label.REPEATED;
  const optional = field.proto3Optional || (syntax === 'proto2' && !repeated);
  const label = !withLabel ? '' : repeated ? 'repeated ' : optional ? 'optional ' : '';
  return `${label}${type} ${field.name} = ${field.number};`;
}

// In a descriptor (proto2) an absent field is no property of the message object, unlike one that is zero.
function isSet(message, name) {
  return Object.hasOwn(message, name);
}
