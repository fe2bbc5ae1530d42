/** All kinds of phones, as the settings of a kind are read only when PHONE_DRIVER lists it. */
const EVERY_KIND = 'simulated,attached,container,emulator,kubernetes';

/** Returns the names of the environment variables that a reader of settings reads. */
export function namesRead(read: (environment: NodeJS.ProcessEnv) => unknown): Set<string> {
  const names = new Set<string>();
  const environment = new Proxy<NodeJS.ProcessEnv>(
    {},
    {
      get: (_target, name) => {
        if (typeof name !== 'string') return undefined;
        names.add(name);
        return name === 'PHONE_DRIVER' ? EVERY_KIND : undefined;
      },
    },
  );
  try {
    read(environment);
  } catch (error) {
    // A reader throws for required settings that are missing, but only after it has read all settings.
    if (!(error instanceof Error)) throw error;
  }
  return names;
}
