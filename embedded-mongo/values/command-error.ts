/**
 * The error for a client's command that is wrong or not supported. It becomes `{ok: 0, code, codeName, errmsg}` on the wire, which the
 * driver raises as MongoServerError. A command throws it before it changes the present document, so no document is left half changed.
 */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    readonly codeName: CodeName,
    message: string,
    /** Further fields of the error document, such as keyPattern. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }

  get code(): number {
    return CODES[this.codeName];
  }

  toDocument(): Record<string, unknown> {
    return { ok: 0, errmsg: this.message, code: this.code, codeName: this.codeName, ...this.details };
  }
}

/** Returns the error for a feature of MongoDB that this server lacks. Such a feature is named and refused, never ignored. */
export function notSupported(what: string): CommandError {
  return new CommandError('NotImplemented', `the embedded server does not support ${what}`);
}

/** MongoDB's numbers (its error_codes.yml), for the errors that can happen here. */
const CODES = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  TypeMismatch: 14,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  CannotIndexParallelArrays: 171,
  TransactionTooOld: 225,
  NotImplemented: 238,
  TooManyCursors: 291,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  OutOfDiskSpace: 14031,
  KeyTooLong: 17280,
  IDLFailedToParse: 40414,
  IDLUnknownField: 40415,
} as const;

export type CodeName = keyof typeof CODES;
