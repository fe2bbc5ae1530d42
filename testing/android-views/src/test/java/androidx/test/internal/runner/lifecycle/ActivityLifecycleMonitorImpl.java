package androidx.test.internal.runner.lifecycle;

import android.app.Activity;
import androidx.test.runner.lifecycle.ActivityLifecycleCallback;
import androidx.test.runner.lifecycle.ActivityLifecycleMonitor;
import androidx.test.runner.lifecycle.Stage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Remembers the newest stage of each activity, as Robolectric reports it. */
public final class ActivityLifecycleMonitorImpl implements ActivityLifecycleMonitor {
  private final Map<Activity, Stage> stages = new LinkedHashMap<>();
  private final List<ActivityLifecycleCallback> callbacks = new ArrayList<>();

  public void signalLifecycleChange(Stage stage, Activity activity) {
    stages.put(activity, stage);
    for (ActivityLifecycleCallback callback : List.copyOf(callbacks)) {
      callback.onActivityLifecycleChanged(activity, stage);
    }
  }

  @Override
  public void addLifecycleCallback(ActivityLifecycleCallback callback) {
    callbacks.add(callback);
  }

  @Override
  public void removeLifecycleCallback(ActivityLifecycleCallback callback) {
    callbacks.remove(callback);
  }

  @Override
  public Stage getLifecycleStageOf(Activity activity) {
    return stages.get(activity);
  }

  @Override
  public Collection<Activity> getActivitiesInStage(Stage stage) {
    List<Activity> found = new ArrayList<>();
    stages.forEach((activity, at) -> {
      if (at == stage) found.add(activity);
    });
    return found;
  }
}
