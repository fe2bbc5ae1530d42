/** An instrumentation that a package declares, and the package that it runs in. */
export interface DeclaredInstrumentation {
  component: string;
  target: string;
}

/** How an instrumentation ended. */
export type InstrumentationEnd = 'finished' | 'crashed';

/** The instrumentations of a phone. */
export interface InstrumentationRuns {
  /** Returns the instrumentations of installed packages. */
  list(): readonly DeclaredInstrumentation[];
  /** Returns the instrumentation of a component; undefined when no installed package declares it. */
  find(component: string): DeclaredInstrumentation | undefined;
  /** Runs until the instrumentation ends. `am` aborts when the program that started it ends. */
  run(instrumentation: DeclaredInstrumentation, am: AbortSignal): Promise<InstrumentationEnd>;
  /** Ends the instrumentation that runs in a package. */
  stop(packageName: string): void;
}
