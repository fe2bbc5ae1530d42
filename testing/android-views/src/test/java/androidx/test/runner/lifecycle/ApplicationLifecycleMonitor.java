package androidx.test.runner.lifecycle;

/** Knows the stage of the application. */
public interface ApplicationLifecycleMonitor {}
