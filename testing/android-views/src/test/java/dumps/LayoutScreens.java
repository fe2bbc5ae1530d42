package dumps;

import android.view.Gravity;
import android.view.View;
import android.view.WindowManager;
import android.widget.ArrayAdapter;
import android.widget.Button;
import android.widget.FrameLayout;
import android.widget.GridLayout;
import android.widget.LinearLayout;
import android.widget.ListView;
import android.widget.RelativeLayout;
import android.widget.TableLayout;
import android.widget.TableRow;
import android.widget.TextView;
import android.widget.ViewFlipper;
import org.junit.Test;
import org.robolectric.annotation.Config;

/** Views beside, inside, above and half outside of each other. */
@SuppressWarnings("deprecation")
public class LayoutScreens extends Screens {
  /** A button that floats above a list's rows, and a bar at the bottom that covers the last of them. */
  @Test
  @Config(sdk = 35)
  public void floatingButton() throws Exception {
    open();
    ListView list = new ListView(activity);
    String[] mails = new String[20];
    for (int i = 0; i < mails.length; i++) mails[i] = "Mail " + (i + 1);
    list.setAdapter(new ArrayAdapter<>(activity, android.R.layout.simple_list_item_1, mails));
    View compose = make.at(make.imageButton(android.R.drawable.ic_input_add, "Compose"), 64, 64, Gravity.BOTTOM | Gravity.END, 72);
    LinearLayout bar = make.row(make.sized(make.button("Mail"), 0, Make.MATCH, 1), make.sized(make.button("Meet"), 0, Make.MATCH, 1));
    bar.setBackgroundColor(0xffeeeeee);
    bar.setClickable(true);
    show(make.frame(make.at(list, Make.MATCH, Make.MATCH, 0, 0), compose, make.at(bar, Make.MATCH, 56, Gravity.BOTTOM, 0)));
    save("com.example.mail");
  }

  /** A panel with a scrim that takes touches, over a page that is still there. */
  private FrameLayout drawer() {
    open();
    LinearLayout page = make.column(make.text("Inbox", 24), make.button("Refresh"), make.button("Compose"));
    View scrim = make.tappable(make.at(new View(activity), Make.MATCH, Make.MATCH, 0, 0));
    scrim.setBackgroundColor(0x99000000);
    scrim.setContentDescription("Close navigation drawer");
    LinearLayout panel = make.column(make.text("ada@example.com"), make.button("All mail"), make.button("Spam"), make.button("Settings"));
    panel.setClickable(true);
    panel.setBackgroundColor(0xffffffff);
    return make.frame(make.at(page, Make.MATCH, Make.MATCH, 0, 0), scrim, make.at(panel, 280, Make.MATCH, Gravity.START, 0));
  }

  @Test
  @Config(sdk = 28)
  public void drawerWithoutOrder() throws Exception {
    show(drawer());
    save("com.example.mail");
  }

  @Test
  @Config(sdk = 35)
  public void drawerWithOrder() throws Exception {
    show(drawer());
    save("com.example.mail");
  }

  /** Pages of full size in one frame: the front one takes touches. */
  @Test
  @Config(sdk = 35)
  public void fullSizeSiblings() throws Exception {
    open();
    View back = make.tappable(make.at(make.column(make.text("Player"), make.button("Pause")), Make.MATCH, Make.MATCH, 0, 0));
    View front = make.tappable(make.at(make.column(make.text("Subscribe to go on", 22), make.button("Subscribe"), make.button("Not now")), Make.MATCH, Make.MATCH, 0, 0));
    front.setBackgroundColor(0xffffffff);
    show(make.frame(back, front));
    save();
  }

  /** A card that can be tapped, on it a button and a chip at its corners; badges over icons. */
  @Test
  @Config(sdk = 33)
  public void cardsWithCorners() throws Exception {
    open();
    LinearLayout page = make.column();
    for (String city : new String[] {"Lisbon", "Porto"}) {
      View photo = make.at(make.image(android.R.drawable.ic_menu_gallery, "Photo of " + city), Make.MATCH, 180, 0, 0);
      View like = make.at(make.imageButton(android.R.drawable.btn_star_big_off, "Save " + city), 48, 48, Gravity.TOP | Gravity.END, 8);
      View price = make.at(make.text("from 120 € a night", 16), Make.WRAP, Make.WRAP, Gravity.BOTTOM | Gravity.START, 8);
      View name = make.at(make.text(city, 24), Make.WRAP, Make.WRAP, Gravity.TOP | Gravity.START, 8);
      page.addView(make.padded(make.tappable(make.frame(photo, name, price, like)), 8));
    }
    View bell = make.at(make.imageButton(android.R.drawable.ic_popup_reminder, "Notifications"), 56, 56, 0, 0);
    View badge = make.at(make.text("3"), Make.WRAP, Make.WRAP, Gravity.TOP | Gravity.END, 2);
    page.addView(make.sized(make.frame(bell, badge), 60, 60, 0));
    show(page);
    save();
  }

  @Test
  @Config(sdk = 26)
  public void tableAndGrid() throws Exception {
    open();
    TableLayout table = new TableLayout(activity);
    String[][] rows = {{"Item", "Qty", "Price"}, {"Tea", "2", "5.40"}, {"Cake", "1", "3.20"}};
    for (String[] cells : rows) {
      TableRow row = new TableRow(activity);
      for (String cell : cells) row.addView(make.padded(make.text(cell), 12));
      table.addView(row);
    }
    table.setStretchAllColumns(true);
    GridLayout keys = new GridLayout(activity);
    keys.setColumnCount(3);
    for (String key : "1 2 3 4 5 6 7 8 9 * 0 #".split(" ")) keys.addView(make.button(key));
    show(make.column(table, keys));
    save();
  }

  @Test
  @Config(sdk = 30, qualifiers = Screens.LANDSCAPE)
  public void playerInLandscape() throws Exception {
    open();
    RelativeLayout layout = new RelativeLayout(activity);
    android.widget.SeekBar bar = new android.widget.SeekBar(activity);
    bar.setMax(300);
    bar.setProgress(42);
    View controls =
        make.column(
            make.row(make.text("0:42"), make.sized(bar, 0, Make.WRAP, 1), make.text("5:00")),
            make.row(
                make.imageButton(android.R.drawable.ic_media_previous, "Previous"),
                make.imageButton(android.R.drawable.ic_media_pause, "Pause"),
                make.imageButton(android.R.drawable.ic_media_next, null)));
    RelativeLayout.LayoutParams bottom = new RelativeLayout.LayoutParams(Make.MATCH, Make.WRAP);
    bottom.addRule(RelativeLayout.ALIGN_PARENT_BOTTOM);
    View surface = make.tappable(make.named(new View(activity), "surface"));
    layout.addView(surface, Make.MATCH, Make.MATCH);
    layout.addView(controls, bottom);
    show(layout);
    save("com.example.video");
  }

  /** The lower half of a split screen. */
  @Test
  @Config(sdk = 33)
  public void splitScreen() throws Exception {
    open();
    activity.getWindow().setLayout(Make.MATCH, make.dp(392));
    activity.getWindow().setGravity(Gravity.BOTTOM);
    WindowManager.LayoutParams attributes = activity.getWindow().getAttributes();
    attributes.gravity = Gravity.BOTTOM;
    activity.getWindow().setAttributes(attributes);
    show(make.scroll(make.column(make.text("Notes", 24), make.field("Title", "Oat milk"), make.field("Text", ""), make.button("Save"), make.button("Delete"))));
    save("com.example.notes");
  }

  /** Views that are gone, invisible, transparent, tiny, or outside of what clips them. */
  @Test
  @Config(sdk = 35)
  public void hiddenAndClipped() throws Exception {
    open();
    Button gone = make.button("Gone");
    gone.setVisibility(View.GONE);
    Button invisible = make.button("Invisible");
    invisible.setVisibility(View.INVISIBLE);
    Button transparent = make.button("Transparent");
    transparent.setAlpha(0);
    Button moved = make.button("Moved away");
    moved.setTranslationX(5_000);
    Button half = make.button("Half outside");
    half.setTranslationX(make.dp(250));
    Button disabled = make.button("Disabled");
    disabled.setEnabled(false);
    TextView selected = make.text("Selected tab");
    selected.setSelected(true);
    selected.setClickable(true);
    View line = make.sized(make.tappable(new View(activity)), Make.MATCH, 1, 0);
    FrameLayout window = make.frame(make.at(make.button("Clipped by its parent"), 300, 80, 0, 0));
    show(make.column(gone, invisible, transparent, moved, half, disabled, selected, line, make.sized(window, 200, 40, 0), make.button("Plain")));
    save();
  }

  /** A page whose whole area can be tapped, with text and an action inside it. */
  @Test
  @Config(sdk = 28)
  public void tapAnywhere() throws Exception {
    open();
    View go = make.at(make.button("Skip"), Make.WRAP, Make.WRAP, Gravity.TOP | Gravity.END, 16);
    View words = make.at(make.column(make.text("Welcome", 32), make.text("Tap anywhere to begin")), Make.WRAP, Make.WRAP, Gravity.CENTER, 0);
    FrameLayout page = make.tappable(make.frame(words, go));
    show(page);
    save("com.example.game");
  }

  @Test
  @Config(sdk = 26)
  public void flipperAndDialer() throws Exception {
    open();
    ViewFlipper flipper = new ViewFlipper(activity);
    flipper.addView(make.button("First page"));
    flipper.addView(make.button("Second page"));
    flipper.setDisplayedChild(1);
    TextView number = make.text("+44 20 7946 0000", 28);
    View erase = make.imageButton(android.R.drawable.ic_input_delete, "Backspace");
    erase.setOnLongClickListener(pressed -> true);
    LinearLayout keypad = make.column();
    String[] letters = {"", "ABC", "DEF", "GHI", "JKL", "MNO", "PQRS", "TUV", "WXYZ"};
    for (int line = 0; line < 3; line++) {
      LinearLayout row = make.row();
      for (int column = 0; column < 3; column++) {
        int key = line * 3 + column;
        LinearLayout one = make.sized(make.column(make.text(String.valueOf(key + 1), 28), make.text(letters[key])), 0, 80, 1);
        row.addView(make.tappable(one));
      }
      keypad.addView(row);
    }
    show(make.column(make.sized(flipper, Make.MATCH, Make.WRAP, 0), make.row(make.sized(number, 0, Make.WRAP, 1), erase), keypad, make.imageButton(android.R.drawable.ic_menu_call, "Call")));
    save("com.android.dialer");
  }
}
