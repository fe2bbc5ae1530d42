import { CommandFailure } from '../../command-failure.js';

/** Ends awk with a text on standard error and status 2, as awk does for its own errors. */
export class AwkError extends CommandFailure {
  override name = 'AwkError';

  constructor(message: string) {
    super(message, { status: 2 });
  }
}
