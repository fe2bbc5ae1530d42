import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { createJsonEncoders } from '../kit/json/encode.js';
import { createTable } from './table.js';

/** The output of a command: JSON on one line, and text for people. */
export interface Output {
  json: string;
  text: string;
  /** Why the command failed all the same, and what to do. Absent: it did not. */
  failure?: string;
}

const encoderFor = createJsonEncoders();

/** Returns the output of a command whose response is `message`. */
export function output<D extends DescMessage>(schema: D, message: MessageShape<D>, text: string): Output {
  return { json: encoderFor(schema)(message), text };
}

/** A list: as a response in JSON, as a table for people. */
export function tableOf<D extends DescMessage>(
  schema: D,
  init: MessageInitShape<D>,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): Output {
  return output(schema, create(schema, init), createTable(heads, rows));
}
