package androidx.test.runner.lifecycle;

import android.app.Activity;

/** Is notified of each activity's stages. */
public interface ActivityLifecycleCallback {
  void onActivityLifecycleChanged(Activity activity, Stage stage);
}
