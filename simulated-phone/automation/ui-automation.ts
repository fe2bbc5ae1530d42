/** Android's one automation connection to accessibility: the client that connects last has it, and takes it from the one before. */
export class UiAutomation {
  #holder: (() => void) | undefined;

  /** `onTaken` is called when another client connects. Returns the function that disconnects. */
  connect(onTaken: () => void): () => void {
    const before = this.#holder;
    this.#holder = onTaken;
    before?.();
    return () => {
      if (this.#holder === onTaken) this.#holder = undefined;
    };
  }
}
