package androidx.test.runner.intent;

/** There is no stubber: no screen starts another one. */
public final class IntentStubberRegistry {
  private IntentStubberRegistry() {}

  public static boolean isLoaded() {
    return false;
  }

  public static IntentStubber getInstance() {
    throw new IllegalStateException("There is no stubber.");
  }
}
