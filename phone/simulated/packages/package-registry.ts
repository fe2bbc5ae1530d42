import type { InstalledPackage, Packages } from '../system.js';

/** The installed packages. */
export class PackageRegistry implements Packages {
  readonly #builtIns: readonly InstalledPackage[];
  readonly #listeners: (() => void)[] = [];

  constructor(options: { builtIns: readonly InstalledPackage[] }) {
    this.#builtIns = options.builtIns;
  }

  list(): readonly InstalledPackage[] {
    return this.#builtIns;
  }

  get(name: string): InstalledPackage | undefined {
    return this.list().find((one) => one.package === name);
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }
}
