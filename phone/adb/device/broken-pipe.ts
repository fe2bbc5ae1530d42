/** The reader is gone: the writer should end quietly, as on SIGPIPE. */
export class BrokenPipe extends Error {
  override name = 'BrokenPipe';
}
