package dumps;

import android.view.Gravity;
import android.view.View;
import android.view.ViewGroup;
import android.widget.ArrayAdapter;
import android.widget.BaseAdapter;
import android.widget.ExpandableListView;
import android.widget.GridView;
import android.widget.LinearLayout;
import android.widget.ListPopupWindow;
import android.widget.ListView;
import android.widget.ScrollView;
import android.widget.SimpleAdapter;
import android.widget.SimpleExpandableListAdapter;
import android.widget.Spinner;
import android.widget.HorizontalScrollView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;
import org.robolectric.annotation.Config;

/** Lists, grids and what opens as a list. */
public class ListScreens extends Screens {
  private static final String[] FRUIT = {
    "Apple", "Banana", "Cherry", "Date", "Elderberry", "Fig", "Grape", "Honeydew", "Kiwi", "Lemon", "Mango", "Nectarine", "Orange",
    "Papaya", "Quince", "Raspberry", "Strawberry", "Tangerine"
  };

  private ListView list(int rowLayout) {
    open();
    ListView list = new ListView(activity);
    list.setId(android.R.id.list);
    list.setAdapter(new ArrayAdapter<>(activity, rowLayout, FRUIT));
    return list;
  }

  @Test
  @Config(sdk = 26, qualifiers = Screens.SMALL)
  public void listPartlyScrolled() throws Exception {
    accessible = false;
    ListView list = list(android.R.layout.simple_list_item_1);
    show(list);
    list.scrollListBy(make.dp(70));
    save();
  }

  @Test
  public void listOfTwoLines() throws Exception {
    accessible = false;
    open();
    List<Map<String, String>> rows = new ArrayList<>();
    String[][] calls = {{"Ada Lovelace", "Mobile, 2 min. ago"}, {"Grace Hopper", "Work, yesterday"}, {"Ada Lovelace", "Mobile, Monday"}};
    for (String[] call : calls) rows.add(Map.of("name", call[0], "when", call[1]));
    ListView list = new ListView(activity);
    list.setAdapter(
        new SimpleAdapter(
            activity, rows, android.R.layout.simple_list_item_2, new String[] {"name", "when"}, new int[] {android.R.id.text1, android.R.id.text2}));
    show(list);
    save("com.android.dialer");
  }

  @Test
  @Config(sdk = 28, qualifiers = Screens.SMALL)
  public void listMultipleChoice() throws Exception {
    ListView list = list(android.R.layout.simple_list_item_multiple_choice);
    list.setChoiceMode(ListView.CHOICE_MODE_MULTIPLE);
    show(list);
    list.setItemChecked(1, true);
    list.setItemChecked(3, true);
    save();
  }

  @Test
  @Config(sdk = 35, qualifiers = Screens.SMALL)
  public void listActivated() throws Exception {
    ListView list = list(android.R.layout.simple_list_item_activated_1);
    list.setChoiceMode(ListView.CHOICE_MODE_SINGLE);
    show(list);
    list.setItemChecked(2, true);
    list.setSelection(0);
    save();
  }

  /** Rows that can be tapped, each with buttons and a box of its own. */
  @Test
  public void listOfRowsWithButtons() throws Exception {
    open();
    ListView list = new ListView(activity);
    list.setAdapter(
        new BaseAdapter() {
          @Override
          public int getCount() {
            return 8;
          }

          @Override
          public Object getItem(int at) {
            return FRUIT[at];
          }

          @Override
          public long getItemId(int at) {
            return at;
          }

          @Override
          public View getView(int at, View old, ViewGroup parent) {
            android.widget.CheckBox box = new android.widget.CheckBox(activity);
            box.setFocusable(false);
            LinearLayout words = make.sized(make.column(make.text(FRUIT[at], 18), make.text(at + " in the basket")), 0, Make.WRAP, 1);
            View star = make.imageButton(android.R.drawable.btn_star, at % 2 == 0 ? "Add " + FRUIT[at] + " to favourites" : null);
            View remove = make.imageButton(android.R.drawable.ic_delete, "Remove");
            star.setFocusable(false);
            remove.setFocusable(false);
            return make.padded(make.row(box, words, star, remove), 8);
          }
        });
    show(list);
    save();
  }

  @Test
  @Config(sdk = 28)
  public void compressedRowsWithButtons() throws Exception {
    compressed = true;
    listOfRowsWithButtons();
  }

  @Test
  @Config(sdk = 26)
  public void expandableList() throws Exception {
    open();
    ExpandableListView list = new ExpandableListView(activity);
    List<Map<String, String>> groups = List.of(Map.of("n", "Inbox"), Map.of("n", "Work"), Map.of("n", "Private"));
    List<List<Map<String, String>>> children =
        List.of(
            List.of(Map.of("n", "Unread")),
            List.of(Map.of("n", "Invoices"), Map.of("n", "Travel")),
            List.of(Map.of("n", "Family")));
    int[] to = {android.R.id.text1};
    list.setAdapter(
        new SimpleExpandableListAdapter(
            activity, groups, android.R.layout.simple_expandable_list_item_1, new String[] {"n"}, to, children,
            android.R.layout.simple_list_item_1, new String[] {"n"}, to));
    show(list);
    list.expandGroup(1);
    save("com.example.mail");
  }

  @Test
  public void gridOfApps() throws Exception {
    open();
    GridView grid = new GridView(activity);
    grid.setNumColumns(4);
    grid.setAdapter(
        new ArrayAdapter<String>(activity, 0, FRUIT) {
          @Override
          public View getView(int at, View old, ViewGroup parent) {
            android.widget.ImageView icon = make.image(android.R.drawable.sym_def_app_icon, null);
            android.widget.TextView name = make.text(FRUIT[at], 12);
            name.setGravity(Gravity.CENTER);
            name.setSingleLine();
            return make.padded(make.column(icon, name), 8);
          }
        });
    show(grid);
    save("com.android.launcher");
  }

  @Test
  @Config(sdk = 30)
  public void gridOfPhotosScrolled() throws Exception {
    open();
    GridView grid = new GridView(activity);
    grid.setNumColumns(3);
    grid.setAdapter(
        new ArrayAdapter<String>(activity, 0, new String[40]) {
          @Override
          public View getView(int at, View old, ViewGroup parent) {
            View photo = make.image(android.R.drawable.ic_menu_gallery, "Photo taken on " + (at + 1) + " February 2026");
            photo.setLayoutParams(new GridView.LayoutParams(Make.MATCH, make.dp(120)));
            return photo;
          }
        });
    show(grid);
    grid.scrollListBy(make.dp(300));
    save("com.example.photos");
  }

  @Test
  @Config(sdk = 28)
  public void spinnerClosed() throws Exception {
    open();
    show(make.padded(make.column(make.text("Country"), spinner(), make.text("Language"), spinner()), 16));
    save();
  }

  private Spinner spinner() {
    Spinner spinner = new Spinner(activity);
    ArrayAdapter<String> adapter = new ArrayAdapter<>(activity, android.R.layout.simple_spinner_item, FRUIT);
    adapter.setDropDownViewResource(android.R.layout.simple_spinner_dropdown_item);
    spinner.setAdapter(adapter);
    spinner.setSelection(4);
    return spinner;
  }

  @Test
  public void spinnerOpen() throws Exception {
    open();
    Spinner spinner = spinner();
    show(make.padded(make.column(make.text("Country"), spinner), 16));
    spinner.performClick();
    save();
  }

  @Test
  @Config(sdk = 30)
  public void listPopup() throws Exception {
    open();
    View anchor = make.at(make.button("Sort by"), Make.WRAP, Make.WRAP, Gravity.TOP | Gravity.END, 16);
    show(make.frame(anchor));
    ListPopupWindow popup = new ListPopupWindow(activity);
    popup.setAdapter(new ArrayAdapter<>(activity, android.R.layout.simple_list_item_1, new String[] {"Name", "Size", "Date"}));
    popup.setAnchorView(anchor);
    popup.setModal(true);
    popup.setWidth(make.dp(160));
    popup.show();
    save();
  }

  /** Cards in a row that scrolls sideways, inside a page that scrolls down. */
  @Test
  @Config(sdk = 35)
  public void carouselInPage() throws Exception {
    open();
    LinearLayout page = make.column();
    for (int shelf = 1; shelf <= 4; shelf++) {
      LinearLayout cards = make.row();
      for (int card = 1; card <= 6; card++) {
        LinearLayout words = make.column(make.image(android.R.drawable.ic_menu_slideshow, null), make.text("Film " + shelf + "." + card, 16), make.text("2026, 7 min."));
        cards.addView(make.tappable(make.padded(make.sized(words, 140, Make.WRAP, 0), 12)));
      }
      HorizontalScrollView strip = new HorizontalScrollView(activity);
      strip.addView(cards);
      View more = make.button("See all");
      LinearLayout title = make.row(make.sized(make.text("Shelf " + shelf, 20), 0, Make.WRAP, 1), more);
      page.addView(title);
      page.addView(strip);
      if (shelf == 2) strip.post(() -> strip.scrollTo(make.dp(190), 0));
    }
    View far = make.sized(make.text("The end"), Make.MATCH, 600, 0);
    page.addView(far);
    ScrollView scroll = make.scroll(page);
    show(scroll);
    scroll.scrollTo(0, make.dp(40));
    save("com.example.films");
  }

  @Test
  @Config(sdk = 28)
  public void listWithHeaderAndNothing() throws Exception {
    open();
    ListView list = new ListView(activity);
    list.addHeaderView(make.padded(make.text("Search history", 20), 16), null, false);
    list.addFooterView(make.button("Clear all"));
    list.setAdapter(new ArrayAdapter<>(activity, android.R.layout.simple_list_item_1, new String[0]));
    show(list);
    save();
  }
}
