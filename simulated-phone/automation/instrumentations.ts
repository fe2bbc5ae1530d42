import { Cancellation } from '../../kit/async/within.js';
import type { Machine } from '../machine/machine.js';
import type { DeclaredInstrumentation, InstrumentationEnd, InstrumentationRuns } from '../machine/instrumentation.js';
import { Uia2Server } from './uia2-server.js';

/** The packages of the UiAutomator2 server: the one with the server, and the one whose instrumentation starts it. */
const UIA2_PACKAGE = 'io.appium.uiautomator2.server';
const UIA2_TEST_PACKAGE = `${UIA2_PACKAGE}.test`;

const UIA2: DeclaredInstrumentation = {
  component: `${UIA2_TEST_PACKAGE}/androidx.test.runner.AndroidJUnitRunner`,
  target: UIA2_PACKAGE,
};

/** Time from `am instrument` until the server listens, ms. */
const START_MS = 150;

/**
 * Runs instrumentations. The phone knows one, that of the UiAutomator2 server. It does not run the code of the APKs, but implements the
 * server itself. As on Android, the server loses the automation connection when `am` ends, and its process goes on until it is stopped by
 * force.
 */
export class Instrumentations implements InstrumentationRuns {
  readonly #context: () => Machine;
  #stopRunning: (() => void) | undefined;

  constructor(context: () => Machine) {
    this.#context = context;
  }

  list(): readonly DeclaredInstrumentation[] {
    return this.#context().packages.get(UIA2_TEST_PACKAGE) ? [UIA2] : [];
  }

  find(component: string): DeclaredInstrumentation | undefined {
    return this.list().find((one) => one.component === component);
  }

  async run({ target }: DeclaredInstrumentation, am: AbortSignal): Promise<InstrumentationEnd> {
    const machine = this.#context();
    this.stop(target);
    const stopped = new Cancellation([machine.power]);
    let end: InstrumentationEnd = 'crashed';
    const stop = (): void => stopped.abort();
    this.#stopRunning = stop;
    const disconnect = machine.automation.connect(stop);
    const server = new Uia2Server(machine, () => {
      end = 'finished';
      stop();
    });
    const onAmEnded = (): void => {
      disconnect();
      server.disconnect();
    };
    am.addEventListener('abort', onAmEnded, { once: true });
    machine.processes.ensureApp(target, machine.packages.uidOf(target));
    try {
      await machine.clock.sleep(START_MS, stopped.signal);
      if (!server.listen()) return 'crashed';
      if (am.aborted) onAmEnded();
      if (!stopped.signal.aborted)
        await new Promise<void>((resolve) => stopped.signal.addEventListener('abort', () => resolve(), { once: true }));
      return end;
    } catch (error) {
      if (!stopped.signal.aborted) throw error;
      return end;
    } finally {
      am.removeEventListener('abort', onAmEnded);
      disconnect();
      server.close();
      stopped.end();
      if (this.#stopRunning === stop) {
        this.#stopRunning = undefined;
        machine.processes.stopApp(target);
      }
    }
  }

  stop(packageName: string): void {
    if (packageName === UIA2_PACKAGE || packageName === UIA2_TEST_PACKAGE) this.#stopRunning?.();
  }
}
