package androidx.test.runner.lifecycle;

/** Holds the one monitor of the application. */
public final class ApplicationLifecycleMonitorRegistry {
  private static ApplicationLifecycleMonitor monitor;

  private ApplicationLifecycleMonitorRegistry() {}

  public static ApplicationLifecycleMonitor getInstance() {
    return monitor;
  }

  public static void registerInstance(ApplicationLifecycleMonitor of) {
    monitor = of;
  }
}
