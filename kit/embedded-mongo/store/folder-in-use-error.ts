/** Another process has the folder open. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';

  constructor(
    readonly directory: string,
    readonly pid: number,
  ) {
    super(`the data folder ${directory} is in use by process ${pid}; stop it, or choose another folder`);
  }
}
