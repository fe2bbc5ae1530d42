package androidx.test.platform.app;

import android.app.Instrumentation;
import android.os.Bundle;

/** Holds the instrumentation of the running screen; Robolectric registers it here. */
public final class InstrumentationRegistry {
  private static Instrumentation instrumentation;
  private static Bundle arguments;

  private InstrumentationRegistry() {}

  public static Instrumentation getInstrumentation() {
    if (instrumentation == null) throw new IllegalStateException("No instrumentation is registered.");
    return instrumentation;
  }

  public static Bundle getArguments() {
    return new Bundle(arguments);
  }

  public static void registerInstance(Instrumentation of, Bundle with) {
    instrumentation = of;
    arguments = new Bundle(with);
  }
}
