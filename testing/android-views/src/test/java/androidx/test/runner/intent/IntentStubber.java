package androidx.test.runner.intent;

import android.app.Instrumentation.ActivityResult;
import android.content.Intent;

/** Gives results for intents that are started. */
public interface IntentStubber {
  ActivityResult getActivityResultForIntent(Intent intent);
}
