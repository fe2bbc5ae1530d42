/** The part that is used of the package, which brings no types. */
declare module 'fs-native-extensions' {
  const locks: {
    /** An exclusive lock on the whole file (open file description lock on Linux, flock on macOS, LockFileEx on Windows). */
    tryLock(fd: number): boolean;
  };
  export default locks;
}
