package androidx.test.runner.intent;

/** Is notified of the intents that are started. */
public interface IntentMonitor {}
