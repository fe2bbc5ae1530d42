package dumps;

import android.app.AlertDialog;
import android.view.Gravity;
import android.view.LayoutInflater;
import android.view.View;
import android.view.ViewGroup;
import android.view.WindowManager;
import android.widget.BaseAdapter;
import android.widget.Button;
import android.widget.ImageView;
import android.widget.ListView;
import android.widget.TextView;
import com.android.internal.app.LocalePicker;
import java.util.List;
import org.junit.Test;
import org.robolectric.annotation.Config;

/** What the system itself shows in front of apps, from its own layouts. */
@SuppressWarnings("deprecation")
public class SystemScreens extends Screens {
  private View inflate(String layout) {
    return inflate(layout, null);
  }

  private View inflate(String layout, ViewGroup parent) {
    return LayoutInflater.from(activity).inflate(make.framework("layout", layout), parent, false);
  }

  private interface Filler {
    void fill(View row, String words);
  }

  /** Rows of one of the system's layouts, each filled with a line of words. */
  private BaseAdapter rows(String layout, List<String> lines, Filler filler) {
    return new BaseAdapter() {
      @Override
      public int getCount() {
        return lines.size();
      }

      @Override
      public Object getItem(int at) {
        return lines.get(at);
      }

      @Override
      public long getItemId(int at) {
        return at;
      }

      @Override
      public View getView(int at, View old, ViewGroup parent) {
        View row = inflate(layout, parent);
        filler.fill(row, lines.get(at));
        return row;
      }
    };
  }

  private <V extends View> V find(View in, String id) {
    return in.findViewById(make.framework("id", id));
  }

  /** The list of apps that can open something, with its two buttons. */
  @Test
  @Config(sdk = 28)
  public void resolver() throws Exception {
    open();
    View resolver = inflate("resolver_list");
    show(resolver);
    this.<TextView>find(resolver, "title").setText("Open with");
    ListView list = find(resolver, "resolver_list");
    list.setVisibility(View.VISIBLE);
    list.setChoiceMode(ListView.CHOICE_MODE_SINGLE);
    list.setAdapter(
        rows("resolve_list_item", List.of("Browser", "Maps", "Notes"), (row, words) -> {
          this.<TextView>find(row, "text1").setText(words);
          this.<TextView>find(row, "text2").setVisibility(View.GONE);
          this.<ImageView>find(row, "icon").setImageResource(android.R.drawable.sym_def_app_icon);
        }));
    list.setItemChecked(1, true);
    View buttons = find(resolver, "button_bar");
    buttons.setVisibility(View.VISIBLE);
    this.<Button>find(resolver, "button_once").setEnabled(true);
    save("android");
  }

  @Test
  @Config(sdk = 26)
  public void inputMethodPicker() throws Exception {
    open();
    AlertDialog.Builder builder = new AlertDialog.Builder(activity);
    View title = inflate("input_method_switch_dialog_title");
    find(title, "hard_keyboard_section").setVisibility(View.VISIBLE);
    builder.setCustomTitle(title);
    builder.setSingleChoiceItems(
        rows("input_method_switch_item", List.of("English (US)", "Deutsch", "日本語"), (row, words) -> {
          this.<TextView>find(row, "text1").setText(words);
          this.<TextView>find(row, "text2").setText("Keyboard");
          this.<android.widget.RadioButton>find(row, "radio").setChecked(words.equals("Deutsch"));
        }),
        1,
        (dialog, which) -> {});
    builder.show();
    save("android");
  }

  @Test
  @Config(sdk = 33)
  public void accountChooser() throws Exception {
    open();
    View chooser = inflate("choose_type_and_account");
    show(chooser);
    ListView list = chooser.findViewById(android.R.id.list);
    list.setChoiceMode(ListView.CHOICE_MODE_SINGLE);
    list.setAdapter(
        new android.widget.ArrayAdapter<>(
            activity, android.R.layout.simple_list_item_single_choice, new String[] {"ada@example.com", "grace@example.com", "Add account"}));
    list.setItemChecked(0, true);
    list.setVisibility(View.VISIBLE);
    TextView description = find(chooser, "description");
    description.setVisibility(View.VISIBLE);
    description.setText("Choose an account for Notes");
    save("android");
  }

  @Test
  @Config(sdk = 30)
  public void localePicker() throws Exception {
    open();
    activity.getFragmentManager().beginTransaction().replace(android.R.id.content, new LocalePicker()).commit();
    settle();
    save("com.android.settings");
  }

  /** A toast's own window: it takes no touches and no focus, so it is only in a dump of all windows; here it is made to be in front. */
  @Test
  @Config(sdk = 28)
  public void toastOnly() throws Exception {
    open();
    View toast = inflate("transient_notification");
    toast.<TextView>findViewById(android.R.id.message).setText("Saved to “Documents”");
    WindowManager.LayoutParams params = new WindowManager.LayoutParams(Make.WRAP, Make.WRAP, 0, 0, 0);
    params.type = WindowManager.LayoutParams.TYPE_APPLICATION;
    params.gravity = Gravity.BOTTOM | Gravity.CENTER_HORIZONTAL;
    params.y = make.dp(64);
    activity.getWindowManager().addView(toast, params);
    save("com.example.notes");
  }

  /** The page that asks for a permission to record the screen, a plain dialog of the system with a box. */
  @Test
  @Config(sdk = 35)
  public void confirmWithBox() throws Exception {
    open();
    View box = inflate("always_use_checkbox");
    this.<TextView>find(box, "alwaysUse").setText("Use by default for this USB device");
    new AlertDialog.Builder(activity)
        .setTitle("Open Camera to handle “USB Microphone”?")
        .setMessage("This app has not been granted record permission.")
        .setView(box)
        .setPositiveButton(android.R.string.ok, (dialog, which) -> {})
        .setNegativeButton(android.R.string.cancel, (dialog, which) -> {})
        .show();
    save("com.android.systemui");
  }
}
