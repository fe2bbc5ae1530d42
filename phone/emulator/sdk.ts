import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { NEEDED_OPTIONS } from './command-line.js';
import { digestOf, parseSystemImage, type SystemImage } from './system-image.js';

/** How long the emulator may take to print its help or to test the processor, ms. */
const PROBE_MS = 20_000;

/** The ABI of images that run on this machine's processor without translation, by its architecture. */
const OWN_ABI: Partial<Record<NodeJS.Architecture, string>> = { x64: 'x86_64', arm64: 'arm64-v8a' };

/** The parts of an Android SDK that phones need: `emulator/` and `system-images/` below ANDROID_HOME. */
export class EmulatorSdk {
  readonly home: string;
  readonly emulator: string;
  /** The path of the program that checks disk images. Some versions of the emulator do not have it. */
  readonly qemuImg: string;
  readonly #environment: Record<string, string>;
  readonly #kvm: string;

  /** `environment`: variables for runs of the emulator. `kvm`: the file that tests use in place of /dev/kvm. */
  constructor(options: { home: string; environment: Record<string, string>; kvm?: string }) {
    this.home = options.home;
    this.emulator = join(options.home, 'emulator', 'emulator');
    this.qemuImg = join(options.home, 'emulator', 'qemu-img');
    this.#environment = options.environment;
    this.#kvm = options.kvm ?? '/dev/kvm';
  }

  /** Returns why no emulator can run on this host, as a line for the operator. Undefined: no obstacle can be found without a boot. */
  async hostObstacle(): Promise<string | undefined> {
    if (!(await isThere(this.emulator, constants.X_OK))) {
      return `${this.emulator} is missing: install it with "sdkmanager emulator", and set ANDROID_HOME`;
    }
    if (!(await isThere(this.#kvm, constants.F_OK))) {
      return `${this.#kvm} is missing: turn virtualization on in the firmware, or on the machine that this one runs on, and load kvm_intel or kvm_amd`; // prettier-ignore
    }
    if (!(await isThere(this.#kvm, constants.R_OK | constants.W_OK))) {
      return `${this.#kvm} may not be opened by this user: add it to the group kvm`;
    }
    const check = await this.#run('-accel-check');
    if (check.status !== 0) {
      return `${this.#kvm} cannot be used: "emulator -accel-check" ends with status ${check.status}${accelReason(check.output)}`; // prettier-ignore
    }
    const help = await this.#run('-help');
    const missing = NEEDED_OPTIONS.filter((option) => !new RegExp(`^\\s*${option}\\b`, 'm').test(help.output));
    return missing.length === 0
      ? undefined
      : `the emulator has no option ${missing.join(', ')}: update it with "sdkmanager emulator"`;
  }

  /** Returns why no phone can be made of an image on this host. Undefined: there is no obstacle. */
  async imageObstacle(name: string): Promise<string | undefined> {
    const image = parseSystemImage(name);
    if (image === undefined) return `system_image "${name}" is not of the form system-images;android-34;google_apis;x86_64`; // prettier-ignore
    const abi = OWN_ABI[process.arch];
    if (image.abi !== abi) return `system_image "${name}" is not for this machine's processor (${abi ?? process.arch})`;
    const folder = join(this.home, image.folder);
    return (await isThere(join(folder, 'system.img'), constants.R_OK))
      ? undefined
      : `${folder} has no system.img: install it with "sdkmanager '${name}'"`;
  }

  /**
   * Parses the name of a system image. Throws when the name has the wrong form. Whether the image is installed is checked by
   * `imageObstacle`.
   */
  image(name: string): SystemImage {
    const image = parseSystemImage(name);
    if (image === undefined) throw new Error(`not a system image: ${name}`);
    return image;
  }

  digest(image: SystemImage): Promise<string> {
    return digestOf(join(this.home, image.folder));
  }

  #run(word: string): Promise<{ status: number; output: string }> {
    const limits = {
      timeout: PROBE_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 1024 * 1024,
      env: this.#environment,
    } as const;
    return new Promise((resolve) => {
      execFile(this.emulator, [word], limits, (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ status, output: `${stdout}\n${stderr}` });
      });
    });
  }
}

function isThere(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** Returns the reason in the output of `-accel-check`. The emulator prints `accel:`, a number and the reason, each on its own line. */
function accelReason(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const reason = lines.find((line) => line !== '' && !/^(accel:?|\d+)$/.test(line) && !/^(INFO|WARNING)\b/.test(line));
  return reason === undefined ? '' : ` (${reason.slice(0, 200)})`;
}
