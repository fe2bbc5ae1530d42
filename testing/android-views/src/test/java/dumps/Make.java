package dumps;

import android.content.Context;
import android.util.TypedValue;
import android.view.Gravity;
import android.view.View;
import android.view.ViewGroup;
import android.view.accessibility.AccessibilityNodeInfo;
import android.widget.Button;
import android.widget.EditText;
import android.widget.FrameLayout;
import android.widget.ImageButton;
import android.widget.ImageView;
import android.widget.LinearLayout;
import android.widget.ScrollView;
import android.widget.TextView;

/** Makes plain views in few words. */
final class Make {
  static final int MATCH = ViewGroup.LayoutParams.MATCH_PARENT;
  static final int WRAP = ViewGroup.LayoutParams.WRAP_CONTENT;

  private final Context context;

  Make(Context context) {
    this.context = context;
  }

  int dp(int dp) {
    return (int) TypedValue.applyDimension(TypedValue.COMPLEX_UNIT_DIP, dp, context.getResources().getDisplayMetrics());
  }

  TextView text(String words) {
    TextView view = new TextView(context);
    view.setText(words);
    return view;
  }

  TextView text(String words, int sp) {
    TextView view = text(words);
    view.setTextSize(sp);
    return view;
  }

  Button button(String words) {
    Button view = new Button(context);
    view.setText(words);
    view.setOnClickListener(pressed -> {});
    return view;
  }

  EditText field(String hint, String words) {
    EditText view = new EditText(context);
    view.setHint(hint);
    view.setText(words);
    return view;
  }

  ImageView image(int drawable, String description) {
    ImageView view = new ImageView(context);
    view.setImageResource(drawable);
    view.setContentDescription(description);
    return view;
  }

  ImageButton imageButton(int drawable, String description) {
    ImageButton view = new ImageButton(context);
    view.setImageResource(drawable);
    view.setContentDescription(description);
    view.setOnClickListener(pressed -> {});
    return view;
  }

  LinearLayout column(View... children) {
    return linear(LinearLayout.VERTICAL, children);
  }

  LinearLayout row(View... children) {
    LinearLayout row = linear(LinearLayout.HORIZONTAL, children);
    row.setGravity(Gravity.CENTER_VERTICAL);
    return row;
  }

  private LinearLayout linear(int orientation, View... children) {
    LinearLayout layout = new LinearLayout(context);
    layout.setOrientation(orientation);
    for (View child : children) {
      if (child.getLayoutParams() == null) {
        layout.addView(child, orientation == LinearLayout.VERTICAL ? MATCH : WRAP, WRAP);
      } else {
        layout.addView(child);
      }
    }
    return layout;
  }

  FrameLayout frame(View... children) {
    FrameLayout layout = new FrameLayout(context);
    for (View child : children) {
      if (child.getLayoutParams() == null) layout.addView(child, MATCH, WRAP);
      else layout.addView(child);
    }
    return layout;
  }

  ScrollView scroll(View child) {
    ScrollView view = new ScrollView(context);
    view.addView(child);
    return view;
  }

  /** A child of a column or row: its size in dp (or MATCH, WRAP), and its share of what is left. */
  <V extends View> V sized(V view, int width, int height, float weight) {
    view.setLayoutParams(new LinearLayout.LayoutParams(width > 0 ? dp(width) : width, height > 0 ? dp(height) : height, weight));
    return view;
  }

  /** A child of a frame, at a corner or side of it, with a margin in dp. */
  <V extends View> V at(V view, int width, int height, int gravity, int margin) {
    FrameLayout.LayoutParams params =
        new FrameLayout.LayoutParams(width > 0 ? dp(width) : width, height > 0 ? dp(height) : height, gravity);
    params.setMargins(dp(margin), dp(margin), dp(margin), dp(margin));
    view.setLayoutParams(params);
    return view;
  }

  <V extends View> V padded(V view, int dp) {
    view.setPadding(dp(dp), dp(dp), dp(dp), dp(dp));
    return view;
  }

  <V extends View> V tappable(V view) {
    view.setOnClickListener(pressed -> {});
    return view;
  }

  /** Gives a view the name that its app would have given it: there are no resources of an app here. */
  <V extends View> V named(V view, String name) {
    view.setAccessibilityDelegate(
        new View.AccessibilityDelegate() {
          @Override
          public void onInitializeAccessibilityNodeInfo(View host, AccessibilityNodeInfo info) {
            super.onInitializeAccessibilityNodeInfo(host, info);
            info.setViewIdResourceName("com.example.app:id/" + name);
          }
        });
    return view;
  }

  /** A resource of the framework, by its name: its number differs between levels. */
  int framework(String type, String name) {
    int id = context.getResources().getIdentifier(name, type, "android");
    if (id == 0) throw new IllegalArgumentException("There is no " + type + " " + name + " at this level.");
    return id;
  }
}
