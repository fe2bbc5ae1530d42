import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Behaviour, BEHAVIOUR_FILE } from './behaviour.js';

/** A made-up Android SDK with the stand-in for its emulator and one system image. */
export class AndroidHome {
  /** For MODELS_FILE. */
  static readonly image = `system-images;android-34;google_apis;${process.arch === 'arm64' ? 'arm64-v8a' : 'x86_64'}`;
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    const emulator = join(path, 'emulator');
    mkdirSync(emulator, { recursive: true });
    const main = fileURLToPath(new URL('main.js', import.meta.url));
    writeFileSync(join(emulator, 'emulator'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
    chmodSync(join(emulator, 'emulator'), 0o755);
    // An image with this word is damaged.
    writeFileSync(
      join(emulator, 'qemu-img'),
      '#!/bin/sh\nfor last; do :; done\nif grep -q damaged "$last"; then exit 2; fi\n',
    );
    chmodSync(join(emulator, 'qemu-img'), 0o755);
    this.addImage(AndroidHome.image, { android: '14', level: 34 });
  }

  /** Adds a system image, or replaces it. */
  addImage(name: string, { android, level }: { android: string; level: number }): void {
    const image = join(this.path, name.replaceAll(';', '/'));
    mkdirSync(image, { recursive: true });
    writeFileSync(join(image, 'system.img'), 'stand-in\n');
    writeFileSync(join(image, 'source.properties'), `Pkg.Revision=14\nAndroidVersion.ApiLevel=${level}\n`);
    writeFileSync(join(image, 'build.prop'), `ro.build.version.release=${android}\n`);
  }

  /** Sets the behaviour of all phones, from their next start on. */
  behave(behaviour: Behaviour): void {
    writeFileSync(join(this.path, BEHAVIOUR_FILE), JSON.stringify(behaviour));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
