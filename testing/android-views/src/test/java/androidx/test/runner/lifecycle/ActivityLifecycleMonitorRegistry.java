package androidx.test.runner.lifecycle;

/** Holds the one monitor of activities. */
public final class ActivityLifecycleMonitorRegistry {
  private static ActivityLifecycleMonitor monitor;

  private ActivityLifecycleMonitorRegistry() {}

  public static ActivityLifecycleMonitor getInstance() {
    return monitor;
  }

  public static void registerInstance(ActivityLifecycleMonitor of) {
    monitor = of;
  }
}
