import { type Db, MongoServerError } from 'mongodb';

/** A process's access to its database, which can be cut for good. Later commands are not run and get no response. */
export interface MortalDatabase {
  database: Db;
  /** Cuts the access after `calls` more calls; 0 cuts it at once. */
  dieAfter(calls: number): void;
  /** Cuts the access in the call after `calls` more calls. That call is run, and its response is lost. */
  dieDuring(calls: number): void;
  /** Refuses every write from now on, as a database does whose disk is full; or no longer does so. */
  setFull(isFull: boolean): void;
  /** How many writes were refused. */
  readonly refusedWrites: number;
  /** Resolves when the first call without a response has been made. */
  cut(): Promise<void>;
}

const WRITE = /^(insert|update|replace|delete|bulkWrite|findOneAnd)/;

/**
 * Returns a database that behaves as it does for a process that is killed between two of its calls. Calls under way at that moment may
 * still be run, as they may when a process dies.
 */
export function mortalDatabase(database: Db): MortalDatabase {
  let callsLeft = Infinity;
  let isLastDone = false;
  let isFull = false;
  let refusedWrites = 0;
  let onCut = (): void => undefined;
  let cut = new Promise<void>(() => undefined);
  const never = (): Promise<never> => {
    onCut();
    return new Promise(() => undefined);
  };
  const call = (run: () => unknown): unknown => {
    if (callsLeft-- > 0) return run();
    if (isLastDone && callsLeft === -1) return Promise.resolve(run()).then(never, never);
    return never();
  };
  const dieIn = (calls: number, isDone: boolean): void => {
    [callsLeft, isLastDone] = [calls, isDone];
    cut = new Promise((resolve) => (onCut = resolve));
  };
  const cursor = (real: object): object =>
    new Proxy(real, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (name === 'toArray') return call(() => member.apply(target, args) as unknown);
          return cursor(member.apply(target, args) as object);
        };
      },
    });
  const collection = (real: object): object =>
    new Proxy(real, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (name === 'find' || name === 'aggregate') return cursor(member.apply(target, args) as object);
          return call(() => {
            if (!isFull || !WRITE.test(String(name))) return member.apply(target, args) as unknown;
            refusedWrites++;
            return Promise.reject(new MongoServerError({ message: 'full', code: 14_031, codeName: 'OutOfDiskSpace' }));
          });
        };
      },
    });
  return {
    database: new Proxy(database, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (name === 'collection') return (of: string) => collection(target.collection(of));
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    }),
    dieAfter: (calls) => dieIn(calls, false),
    dieDuring: (calls) => dieIn(calls, true),
    setFull: (full) => (isFull = full),
    get refusedWrites() {
      return refusedWrites;
    },
    cut: () => cut,
  };
}
