/**
 * The environment variables that a simulator process gets. Such a process reads bytes of anybody, so it gets no secret of the service. A
 * variable that it needs is added here by name.
 */
const NAMES = [
  // Variables of the system, and of Node.
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'TZ',
  'LD_LIBRARY_PATH',
  'FONTCONFIG_PATH',
  'NODE_OPTIONS',
  'NODE_V8_COVERAGE',
  'UV_THREADPOOL_SIZE',
  // Settings of the process (host/config.ts).
  'SIMULATED_APPS_DIR',
  'SIMULATED_BOOT_MS',
  'SIMULATED_GRACE_MS',
  'SIMULATED_STORAGE_MB',
  'SIMULATED_MEMORY_MB',
  'ALLOW_PRIVATE_TARGETS',
  'PHONE_HOST',
  'FFMPEG',
  'LOG_LEVEL',
] as const;

/** Returns the part of the service's environment that its simulator processes get. */
export function processEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const part: Record<string, string> = {};
  for (const name of NAMES) {
    const value = environment[name];
    if (value !== undefined) part[name] = value;
  }
  return part;
}
