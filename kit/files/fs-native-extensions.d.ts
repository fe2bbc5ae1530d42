/** Declares the part of the package that is used here, as the package has no types of its own. */
declare module 'fs-native-extensions' {
  const locks: {
    /** Takes an exclusive lock on the whole file (open file description lock on Linux, flock on macOS, LockFileEx on Windows). */
    tryLock(fd: number): boolean;
  };
  export default locks;
}
