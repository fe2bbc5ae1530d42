/**
 * The shape of a value, as a part of JSON Schema that is small enough to be checked without a library. The same object is the published
 * schema of the file.
 */
export type Shape = ObjectShape | ArrayShape | StringShape | NumberShape | BooleanShape;

export interface ObjectShape {
  type: 'object';
  description?: string;
  properties?: Readonly<Record<string, Shape>>;
  required?: readonly string[];
  /** The shape of members whose names are free. `false`: there are none. */
  additionalProperties: false | Shape;
  propertyNames?: { pattern: string };
  maxProperties?: number;
  /** Exactly one of these members must be there. */
  oneOf?: readonly { required: readonly [string] }[];
  /** A member that needs another one. */
  dependentRequired?: Readonly<Record<string, readonly [string]>>;
}

export interface ArrayShape {
  type: 'array';
  description?: string;
  items: Shape;
  minItems?: number;
  maxItems?: number;
}

export interface StringShape {
  type: 'string';
  description?: string;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  enum?: readonly string[];
}

export interface NumberShape {
  type: 'integer' | 'number';
  description?: string;
  minimum: number;
  maximum: number;
}

export interface BooleanShape {
  type: 'boolean';
  description?: string;
}

/** The first place at which a value has not its shape. */
export interface Misfit {
  /** Such as `steps[3].tap.text`; empty for the value itself. */
  path: string;
  /** What is wrong, and what is allowed, as the end of a sentence. */
  fault: string;
}
