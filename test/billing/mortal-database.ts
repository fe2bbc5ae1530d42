import type { Db } from 'mongodb';

/** A process's way to its database, which can be cut for good: later commands are not run and get no response. */
export interface MortalDatabase {
  database: Db;
  /** Cuts it after `calls` more calls; 0 is at once. */
  dieAfter(calls: number): void;
  /** Resolves when a call was made that the last `dieAfter` did not let happen. */
  cut(): Promise<void>;
}

/**
 * Stands for a process that is killed: between any two of its calls to the database it may be gone. Calls under way when it is cut may
 * still happen, as they may when a process dies.
 */
export function mortalDatabase(database: Db): MortalDatabase {
  let callsLeft = Infinity;
  let onCut = (): void => undefined;
  let cut = new Promise<void>(() => undefined);
  const never = (): Promise<never> => {
    onCut();
    return new Promise(() => undefined);
  };
  const mayGo = (): boolean => callsLeft-- > 0;
  const cursor = (real: object): object =>
    new Proxy(real, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (name === 'toArray') return mayGo() ? (member.apply(target, args) as unknown) : never();
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
          return mayGo() ? (member.apply(target, args) as unknown) : never();
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
    dieAfter: (calls) => {
      callsLeft = calls;
      cut = new Promise((resolve) => (onCut = resolve));
    },
    cut: () => cut,
  };
}
