/** The error with which a command fails. The shell prints `name: message` on standard error, and `status` is the exit status. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
  readonly status: number;
  /** Whether the text is printed without the command's name in front. */
  readonly bare: boolean;

  constructor(message: string, options: { status?: number; bare?: boolean } = {}) {
    super(message);
    this.status = options.status ?? 1;
    this.bare = options.bare ?? false;
  }
}
