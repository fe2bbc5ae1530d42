/** Android's only automation connection to accessibility. A client that connects gets it, and the earlier client loses it. */
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
