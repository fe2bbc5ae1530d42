/** Is thrown by `exit`, and caught where the shell began. */
export class ShellExit extends Error {
  override name = 'ShellExit';

  constructor(readonly status: number) {
    super(`exit ${status}`);
  }
}

/** Is thrown by an error that ends a script, but not an interactive shell. */
export class ShellError extends Error {
  override name = 'ShellError';

  /** `text`: the text to print on standard error. Absent: it was printed already. */
  constructor(
    readonly status: number,
    readonly text?: string,
  ) {
    super(text ?? `error ${status}`);
  }
}

/** Is thrown by `return`, and caught where the function or the sourced script was called. */
export class FunctionReturn extends Error {
  override name = 'FunctionReturn';

  constructor(readonly status: number) {
    super(`return ${status}`);
  }
}

/** Is thrown by `break` and `continue`, and caught by the loop. */
export class LoopExit extends Error {
  override name = 'LoopExit';

  constructor(
    readonly kind: 'break' | 'continue',
    readonly levels: number,
  ) {
    super(kind);
  }
}

/** Is thrown when a limit of the phone was reached. It ends the whole script, from any depth. */
export class ShellLimit extends Error {
  override name = 'ShellLimit';
}
