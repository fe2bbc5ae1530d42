package dumps;

import android.app.Activity;
import android.content.pm.ApplicationInfo;
import android.content.res.Configuration;
import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.graphics.Point;
import android.graphics.Rect;
import android.os.Looper;
import android.view.Display;
import android.view.Gravity;
import android.view.View;
import android.view.WindowManager;
import android.view.WindowManagerGlobal;
import android.view.accessibility.AccessibilityManager;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.Rule;
import org.junit.rules.TestName;
import org.junit.runner.RunWith;
import org.robolectric.Robolectric;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.GraphicsMode;
import org.robolectric.annotation.LooperMode;
import org.robolectric.util.ReflectionHelpers;

/** Screens that are dumped: each test builds one, and its name becomes that of the file. */
@RunWith(RobolectricTestRunner.class)
@Config(manifest = Config.NONE, sdk = 34, qualifiers = Screens.PHONE)
@GraphicsMode(GraphicsMode.Mode.NATIVE)
@LooperMode(LooperMode.Mode.PAUSED)
public abstract class Screens {
  static final String PHONE = "w360dp-h800dp-xxhdpi";
  static final String SMALL = "w360dp-h640dp-xhdpi";
  static final String LANDSCAPE = "w800dp-h360dp-land-xxhdpi";
  static final String TABLET = "w800dp-h1280dp-xhdpi";

  @Rule public final TestName test = new TestName();

  protected Activity activity;

  /** Whether accessibility is on when the screen is made; a program's first dump on a phone finds it made without. */
  protected boolean accessible = true;

  /** Whether to leave unimportant views out of the dump, as is done with screens that never come to rest. */
  protected boolean compressed = false;

  protected Make make;

  /** Opens an activity of a class, in a theme. */
  protected <A extends Activity> A open(Class<A> type, int theme) {
    // A dump turns accessibility on, and some views describe themselves further from then on. It was so before these were made.
    Shadows.shadowOf(RuntimeEnvironment.getApplication().getSystemService(AccessibilityManager.class)).setEnabled(accessible);
    // As an app's manifest does that supports languages written from right to left.
    ApplicationInfo app = RuntimeEnvironment.getApplication().getApplicationInfo();
    app.flags |= ApplicationInfo.FLAG_SUPPORTS_RTL;
    app.nonLocalizedLabel = "Example";
    ActivityController<A> controller = Robolectric.buildActivity(type);
    controller.get().setTheme(theme);
    activity = controller.get();
    activity.setTitle("Example");
    make = new Make(activity);
    controller.setup();
    settle();
    return controller.get();
  }

  protected Activity open() {
    return open(Activity.class, android.R.style.Theme_Material_Light_NoActionBar);
  }

  protected void show(View content) {
    activity.setContentView(content);
    settle();
  }

  /** Runs what is posted, and animations to their end. */
  protected static void settle() {
    Shadows.shadowOf(Looper.getMainLooper()).idle();
    Shadows.shadowOf(Looper.getMainLooper()).idleFor(Duration.ofSeconds(2));
  }

  protected void save() throws Exception {
    save("com.example.app");
  }

  /** Writes the dump of the window that has the focus: the topmost that can have it. */
  protected void save(String packageName) throws Exception {
    settle();
    List<View> windows = new ArrayList<>(ReflectionHelpers.<List<View>>getField(WindowManagerGlobal.getInstance(), "mViews"));
    Rect display = displayBounds();
    for (View window : windows) place(window, display);
    Collections.reverse(windows);
    View active = null;
    for (View window : windows) {
      int flags = ((WindowManager.LayoutParams) window.getLayoutParams()).flags;
      if (active == null && (flags & WindowManager.LayoutParams.FLAG_NOT_FOCUSABLE) == 0) active = window;
    }
    int level = android.os.Build.VERSION.SDK_INT;
    boolean landscape = activity.getResources().getConfiguration().orientation == Configuration.ORIENTATION_LANDSCAPE;
    String dump = new Dumper(display, level, packageName, compressed).dump(active, landscape ? 1 : 0);
    String name = test.getMethodName().replaceAll("\\[.*", "").replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    Path file = Path.of(System.getProperty("dumps"), name + ".api" + level + "." + display.width() + "x" + display.height() + ".xml");
    Files.createDirectories(file.getParent());
    Files.writeString(file, dump);
    String pictures = System.getProperty("pictures", "");
    if (!pictures.isEmpty()) draw(windows, display, Path.of(pictures, name + ".png"));
  }

  private Rect displayBounds() {
    Display display = activity.getWindowManager().getDefaultDisplay();
    Point size = new Point();
    display.getRealSize(size);
    return new Rect(0, 0, size.x, size.y);
  }

  /** Puts a window where its attributes say, as the window manager does, which is not part of this. */
  private static void place(View window, Rect display) {
    WindowManager.LayoutParams attributes = (WindowManager.LayoutParams) window.getLayoutParams();
    Rect at = new Rect();
    Gravity.apply(attributes.gravity == 0 ? Gravity.TOP | Gravity.START : attributes.gravity, window.getWidth(), window.getHeight(), display, attributes.x, attributes.y, at, window.getLayoutDirection());
    Gravity.applyDisplay(attributes.gravity, display, at);
    Object attachInfo = ReflectionHelpers.getField(window, "mAttachInfo");
    ReflectionHelpers.setField(attachInfo, "mWindowLeft", at.left);
    ReflectionHelpers.setField(attachInfo, "mWindowTop", at.top);
  }

  private static void draw(List<View> topFirst, Rect display, Path file) throws Exception {
    Bitmap picture = Bitmap.createBitmap(display.width(), display.height(), Bitmap.Config.ARGB_8888);
    Canvas canvas = new Canvas(picture);
    canvas.drawColor(0xffffffff);
    for (int i = topFirst.size() - 1; i >= 0; i--) {
      int[] at = new int[2];
      topFirst.get(i).getLocationOnScreen(at);
      canvas.save();
      canvas.translate(at[0], at[1]);
      topFirst.get(i).draw(canvas);
      canvas.restore();
    }
    Files.createDirectories(file.getParent());
    try (var out = Files.newOutputStream(file)) {
      Bitmap.createScaledBitmap(picture, display.width() / 3, display.height() / 3, true).compress(Bitmap.CompressFormat.PNG, 100, out);
    }
  }
}
