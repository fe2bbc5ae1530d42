package dumps;

import android.graphics.Rect;
import android.os.SystemClock;
import android.text.InputType;
import android.text.SpannableString;
import android.text.style.ClickableSpan;
import android.view.Gravity;
import android.view.TouchDelegate;
import android.view.View;
import android.widget.ArrayAdapter;
import android.widget.AutoCompleteTextView;
import android.widget.CalendarView;
import android.widget.CheckBox;
import android.widget.Chronometer;
import android.widget.EditText;
import android.widget.LinearLayout;
import android.widget.NumberPicker;
import android.widget.ProgressBar;
import android.widget.RadioButton;
import android.widget.RadioGroup;
import android.widget.RatingBar;
import android.widget.SeekBar;
import android.widget.Switch;
import android.widget.TextView;
import android.widget.ToggleButton;
import org.junit.Test;
import org.robolectric.annotation.Config;

/** Fields and controls. */
public class FormScreens extends Screens {
  private EditText password(String hint, String words) {
    EditText field = make.field(hint, words);
    field.setInputType(InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_VARIATION_PASSWORD);
    return field;
  }

  /** The fields of a page for signing in, filled, empty, wrong and described. */
  private View fields() {
    EditText email = make.named(make.field("Email", "ada@example.com"), "email");
    EditText empty = make.named(make.field("Full name", ""), "full_name");
    EditText wrong = make.named(make.field("Telephone", "12"), "telephone");
    wrong.setError("Too short");
    EditText described = make.field("1 to 99", "42");
    described.setContentDescription("Age in years");
    EditText emptyPassword = password("Password", "");
    EditText filledPassword = password("Repeat password", "correct horse");
    EditText address = make.field("Address", "1 Main Street\n12345 Sometown");
    address.setMinLines(3);
    address.setGravity(Gravity.TOP);
    EditText off = make.field("Voucher", "");
    off.setEnabled(false);
    return make.scroll(make.padded(make.column(email, empty, wrong, described, emptyPassword, filledPassword, address, off, make.button("Sign up")), 16));
  }

  @Test
  @Config(sdk = 26)
  public void formFields() throws Exception {
    open();
    show(fields());
    save();
  }

  @Test
  @Config(sdk = 35)
  public void formFieldsWithHints() throws Exception {
    open();
    show(fields());
    save();
  }

  @Test
  public void formControls() throws Exception {
    open();
    RadioGroup group = new RadioGroup(activity);
    for (String name : new String[] {"Small", "Medium", "Large"}) {
      RadioButton one = new RadioButton(activity);
      one.setText(name);
      group.addView(one);
      if (name.equals("Medium")) one.setChecked(true);
    }
    CheckBox news = new CheckBox(activity);
    news.setText("Send me news");
    news.setChecked(true);
    CheckBox off = new CheckBox(activity);
    off.setText("Members only");
    off.setEnabled(false);
    Switch dark = new Switch(activity);
    dark.setText("Dark theme");
    Switch bare = new Switch(activity);
    bare.setChecked(true);
    ToggleButton toggle = new ToggleButton(activity);
    SeekBar volume = new SeekBar(activity);
    volume.setProgress(70);
    volume.setContentDescription("Volume");
    RatingBar stars = new RatingBar(activity);
    stars.setRating(3.5f);
    ProgressBar progress = new ProgressBar(activity, null, android.R.attr.progressBarStyleHorizontal);
    progress.setProgress(30);
    LinearLayout bareRow = make.row(make.sized(make.text("Bluetooth"), 0, Make.WRAP, 1), bare);
    show(make.padded(make.column(group, news, off, dark, bareRow, toggle, volume, make.sized(stars, Make.WRAP, Make.WRAP, 0), progress), 16));
    save();
  }

  @Test
  @Config(sdk = 30)
  public void numberPickers() throws Exception {
    open();
    NumberPicker hours = picker(0, 23, 7);
    NumberPicker minutes = picker(0, 59, 0);
    NumberPicker size = picker(0, 2, 1);
    size.setDisplayedValues(new String[] {"Small", "Medium", "Large"});
    show(make.column(make.row(hours, make.text(":"), minutes, size), make.button("Start")));
    save("com.android.deskclock");
  }

  private NumberPicker picker(int least, int most, int value) {
    NumberPicker picker = new NumberPicker(activity);
    picker.setMinValue(least);
    picker.setMaxValue(most);
    picker.setValue(value);
    return picker;
  }

  @Test
  @Config(sdk = 28)
  public void calendar() throws Exception {
    open();
    CalendarView calendar = new CalendarView(activity);
    calendar.setDate(1_771_027_200_000L);
    show(make.column(calendar, make.button("Add event")));
    save("com.android.calendar");
  }

  @Test
  @Config(sdk = 26, qualifiers = Screens.SMALL)
  public void stopwatch() throws Exception {
    open();
    Chronometer watch = new Chronometer(activity);
    watch.setBase(SystemClock.elapsedRealtime() - 61_000);
    watch.setTextSize(48);
    show(make.column(watch, make.row(make.button("Lap"), make.button("Stop"))));
    save("com.android.deskclock");
  }

  @Test
  @Config(sdk = 30, qualifiers = Screens.SMALL)
  public void compressedStopwatch() throws Exception {
    compressed = true;
    stopwatch();
  }

  @Test
  @Config(sdk = 35)
  public void compressedControls() throws Exception {
    compressed = true;
    formControls();
  }

  @Test
  public void suggestions() throws Exception {
    open();
    AutoCompleteTextView city = new AutoCompleteTextView(activity);
    city.setHint("City");
    city.setThreshold(1);
    city.setAdapter(new ArrayAdapter<>(activity, android.R.layout.simple_dropdown_item_1line, new String[] {"Berlin", "Bern", "Bergen", "Oslo"}));
    show(make.padded(make.column(make.text("Where to?", 20), city, make.button("Go")), 16));
    city.requestFocus();
    city.setText("Ber");
    city.showDropDown();
    save();
  }

  /** Links inside of a text, a button that is larger to the finger than to the eye, and icons without words. */
  @Test
  @Config(sdk = 35)
  public void linksAndTouchDelegate() throws Exception {
    open();
    SpannableString words = new SpannableString("By signing up you agree to the Terms and the Privacy Policy.");
    for (String link : new String[] {"Terms", "Privacy Policy"}) {
      int from = words.toString().indexOf(link);
      words.setSpan(
          new ClickableSpan() {
            @Override
            public void onClick(View widget) {}
          },
          from, from + link.length(), 0);
    }
    TextView text = make.text("");
    text.setText(words);
    text.setMovementMethod(android.text.method.LinkMovementMethod.getInstance());
    View small = make.imageButton(android.R.drawable.ic_menu_close_clear_cancel, null);
    make.named(small, "close");
    LinearLayout bar = make.row(make.sized(small, 24, 24, 0), make.text("Sign up", 20));
    bar.setTouchDelegate(new TouchDelegate(new Rect(0, 0, make.dp(72), make.dp(72)), small));
    View labelled = make.imageButton(android.R.drawable.ic_menu_camera, "Take photo");
    View plain = make.tappable(make.image(android.R.drawable.ic_menu_gallery, null));
    View decorative = make.image(android.R.drawable.ic_menu_compass, null);
    show(make.padded(make.column(bar, text, make.row(make.sized(labelled, 64, 64, 0), make.sized(plain, 64, 64, 0), make.sized(decorative, 64, 64, 0))), 16));
    save();
  }
}
