import { connect } from 'node:net';
import { Registry } from 'prom-client';
import { systemClock } from '../../kit/async/clock.js';
import { OpenCall } from '../../kit/call/call.js';
import { silentLog } from '../../kit/log/log.js';
import { traceOf } from '../../kit/log/trace.js';
import { act } from '../../screen-service/act/act.js';
import { jpeg } from '../../screen-service/capture/encode.js';
import { screenLimits } from '../../screen-service/limits.js';
import { CRASH_TAGS } from '../../screen-service/crashes/crash-lines.js';
import { screenMetrics } from '../../screen-service/link/metrics.js';
import { SharedLogs } from '../../screen-service/logs/shared-logs.js';
import { LastObservations } from '../../screen-service/observe/last-observations.js';
import { observe } from '../../screen-service/observe/observe.js';
import { openSession, type PhoneSession } from '../../screen-service/phones/phone-session.js';
import { SecretsOfPhones } from '../../screen-service/secrets/secrets-of-phones.js';
import { identityAt } from './identity-at.js';
import { median, type Report } from './report.js';
import { startBenchPhone } from './screen-phone.js';

/** A part of a step: what was waited for, and when, ms since the step began. */
interface Part {
  name: string;
  fromMs: number;
  toMs: number;
}

const TAPS = 9;
const SETTLE_MS = 300;

const DELAYS = { captureDelayMs: 120, treeDelayMs: 1_500, sourceDelayMs: 80 };

/**
 * Shows where the time of one step goes: a tap on an element with full observation, on a phone with delays, with the resident source of trees
 * and with dumps. It prints the parts of the median step in the order in which they begin.
 */
export async function benchStepTrace(report: Report): Promise<void> {
  for (const isResident of [true, false]) {
    const phone = await startBenchPhone();
    try {
      const identity = await identityAt(phone.port);
      const parts: Part[] = [];
      const session = traced(sessionAt(phone.port, identity), parts);
      session.resident.allow(isResident);
      await phone.shell('am start -n com.cloudphone.settings/.Display');
      await systemClock.sleep(1_500);
      const steps = await tapOften(session, parts, () => phone.faults(DELAYS), isResident);
      session.close();
      const total = median(steps.map(({ tookMs }) => tookMs));
      const middle = steps.find(({ tookMs }) => tookMs === total) ?? steps[0];
      report({
        what: `a tap on an element with full observation, ${isResident ? 'resident source' : 'dumps'}: ${total.toFixed(0)} ms`,
        ours: (middle?.parts ?? []).map(shown).join('; '),
        theirs: '',
        goal: 'for information',
        holds: true,
      });
    } finally {
      phone.stop();
    }
  }
}

async function tapOften(
  session: PhoneSession,
  parts: Part[],
  delay: () => Promise<void>,
  isResident: boolean,
): Promise<{ tookMs: number; parts: Part[] }[]> {
  const observations = new LastObservations(10);
  const lastObservation = observations.lastObservationOf('key_1', session.phone);
  const picture = { spec: jpeg(80, undefined), marks: false };
  // The resident server is installed and started by the first reading.
  for (let tries = 0; tries < (isResident ? 20 : 1); tries++) {
    lastObservation.remember(await observe(call(), session, lastObservation, picture));
    if (session.resident.isRunning) break;
    await systemClock.sleep(500);
  }
  await delay();
  const steps: { tookMs: number; parts: Part[] }[] = [];
  for (let at = 0; at < TAPS; at++) {
    const elements = lastObservation.latest()?.content.elements ?? [];
    const target = elements.find(({ role, text, label }) => role === 'switch' && (text + label).startsWith('Auto'));
    if (target === undefined) throw new Error('there is no switch to tap');
    parts.splice(0);
    const startMs = performance.now();
    const outcome = await act(
      call(),
      session,
      {
        steps: [{ action: { kind: 'tap', target: { element: target.id } }, expect: undefined, waitMs: 0 }],
        ...{ secrets: [], screenOnFailure: false, settleMs: SETTLE_MS, timeoutMs: 20_000, observe: true, picture },
      },
      lastObservation,
    );
    const tookMs = performance.now() - startMs;
    if (outcome.observation !== undefined) lastObservation.remember(outcome.observation);
    steps.push({
      tookMs,
      parts: parts
        .map((part) => ({ ...part, fromMs: part.fromMs - startMs, toMs: part.toMs - startMs }))
        .sort((a, b) => a.fromMs - b.fromMs),
    });
  }
  return steps;
}

function call(): OpenCall {
  return new OpenCall({
    ...{ clock: systemClock, requestId: 'trace', trace: traceOf(undefined, undefined), timeoutMs: 60_000 },
  });
}

function sessionAt(port: number, identity: string): PhoneSession {
  const screen = { width: 720, height: 1280, density: 320 };
  const parts = {
    ...{ clock: systemClock, log: silentLog, limits: screenLimits, report: () => undefined },
    metrics: screenMetrics({ metrics: new Registry(), clock: systemClock, sessions: () => 1 }),
    connectSocket: (host: string, to: number) => connect({ host, port: to }),
  };
  return openSession(
    { name: 'phone', phoneId: 'ph_1', generation: 1, identity, host: '127.0.0.1', port, screen },
    {
      ...parts,
      logs: new SharedLogs(parts, CRASH_TAGS),
      secrets: new SecretsOfPhones(systemClock),
      scrcpyFile: undefined,
    },
  );
}

/** Returns the session with each picture, tree, command and encoding noted in `parts`. */
function traced(session: PhoneSession, parts: Part[]): PhoneSession {
  const noted = <A extends unknown[], R>(name: (...args: A) => string, work: (...args: A) => R) => {
    return (...args: A): R => {
      const fromMs = performance.now();
      const result = work(...args);
      const note = (): void => void parts.push({ name: name(...args), fromMs, toMs: performance.now() });
      if (result instanceof Promise) void result.then(note, note);
      else note();
      return result;
    };
  };
  const wrap = <T extends object>(target: T, names: readonly (keyof T)[], label: string): T =>
    new Proxy(target, {
      get: (of, key) => {
        const value: unknown = Reflect.get(of, key, of);
        if (typeof value !== 'function') return value;
        const bound = (value as (...args: unknown[]) => unknown).bind(of);
        return names.includes(key as keyof T) ? noted(() => label, bound) : bound;
      },
    });
  return {
    ...session,
    captures: wrap(session.captures, ['next'], 'capture'),
    trees: wrap(session.trees, ['next'], 'tree'),
    images: wrap(session.images, ['of'], 'encode'),
    command: noted((_call, command) => command.slice(0, 32), session.command),
  };
}

function shown({ name, fromMs, toMs }: Part): string {
  return `${name} ${fromMs.toFixed(0)}-${toMs.toFixed(0)}`;
}
