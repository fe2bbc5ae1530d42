package androidx.test.runner.intent;

/** Takes the one monitor of intents, which no screen asks for. */
public final class IntentMonitorRegistry {
  private IntentMonitorRegistry() {}

  public static void registerInstance(IntentMonitor monitor) {}
}
