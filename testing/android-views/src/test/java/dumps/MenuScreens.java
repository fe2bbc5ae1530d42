package dumps;

import android.app.Activity;
import android.view.Gravity;
import android.view.Menu;
import android.view.MenuItem;
import android.view.SubMenu;
import android.view.View;
import android.widget.ArrayAdapter;
import android.widget.ListView;
import android.widget.PopupMenu;
import android.widget.SearchView;
import android.widget.Toolbar;
import org.junit.Test;
import org.robolectric.annotation.Config;

/** Bars, menus, searches and tabs. */
@SuppressWarnings("deprecation")
public class MenuScreens extends Screens {
  /** An activity with actions in its bar. */
  public static class WithMenu extends Activity {
    @Override
    public boolean onCreateOptionsMenu(Menu menu) {
      fill(menu);
      return true;
    }
  }

  private static void fill(Menu menu) {
    menu.add("Share").setIcon(android.R.drawable.ic_menu_share).setShowAsAction(MenuItem.SHOW_AS_ACTION_ALWAYS);
    menu.add("Delete").setIcon(android.R.drawable.ic_menu_delete).setShowAsAction(MenuItem.SHOW_AS_ACTION_ALWAYS);
    menu.add("Select all");
    menu.add("Show hidden files").setCheckable(true).setChecked(true);
    menu.add("Paste").setEnabled(false);
    SubMenu sort = menu.addSubMenu("Sort by");
    sort.add(1, 1, 0, "Name").setChecked(true);
    sort.add(1, 2, 0, "Size");
    sort.setGroupCheckable(1, true, true);
  }

  private ListView files() {
    ListView list = new ListView(activity);
    list.setAdapter(new ArrayAdapter<>(activity, android.R.layout.simple_list_item_1, new String[] {"Download", "Music", "Pictures"}));
    return list;
  }

  @Test
  @Config(sdk = 28)
  public void actionBarWithActions() throws Exception {
    open(WithMenu.class, android.R.style.Theme_Material_Light_DarkActionBar);
    activity.setTitle("Files");
    activity.getActionBar().setSubtitle("Internal storage");
    activity.getActionBar().setDisplayHomeAsUpEnabled(true);
    show(files());
    save("com.example.files");
  }

  @Test
  public void overflowMenuOpen() throws Exception {
    open(WithMenu.class, android.R.style.Theme_Material_Light_DarkActionBar);
    show(files());
    activity.openOptionsMenu();
    save("com.example.files");
  }

  @Test
  @Config(sdk = 26)
  public void actionBarTabsOfHolo() throws Exception {
    open(WithMenu.class, android.R.style.Theme_Holo_Light);
    android.app.ActionBar bar = activity.getActionBar();
    bar.setNavigationMode(android.app.ActionBar.NAVIGATION_MODE_TABS);
    for (String name : new String[] {"Recent", "Contacts", "Favourites"}) {
      bar.addTab(
          bar.newTab()
              .setText(name)
              .setTabListener(
                  new android.app.ActionBar.TabListener() {
                    @Override
                    public void onTabSelected(android.app.ActionBar.Tab tab, android.app.FragmentTransaction change) {}

                    @Override
                    public void onTabUnselected(android.app.ActionBar.Tab tab, android.app.FragmentTransaction change) {}

                    @Override
                    public void onTabReselected(android.app.ActionBar.Tab tab, android.app.FragmentTransaction change) {}
                  }));
    }
    show(files());
    save("com.android.contacts");
  }

  @Test
  @Config(sdk = 35)
  public void popupMenu() throws Exception {
    open();
    View anchor = make.at(make.imageButton(android.R.drawable.ic_menu_more, "More options"), 48, 48, Gravity.TOP | Gravity.END, 8);
    show(make.frame(anchor));
    PopupMenu menu = new PopupMenu(activity, anchor);
    fill(menu.getMenu());
    menu.show();
    save("com.example.files");
  }

  private Toolbar toolbar(SearchView search) {
    Toolbar bar = new Toolbar(activity);
    bar.setTitle("Contacts");
    bar.setNavigationIcon(android.R.drawable.ic_menu_sort_by_size);
    bar.setNavigationContentDescription("Open navigation drawer");
    bar.setNavigationOnClickListener(pressed -> {});
    MenuItem item = bar.getMenu().add("Search");
    item.setIcon(android.R.drawable.ic_menu_search);
    item.setActionView(search);
    item.setShowAsAction(MenuItem.SHOW_AS_ACTION_ALWAYS);
    bar.getMenu().add("Settings");
    return bar;
  }

  @Test
  @Config(sdk = 30)
  public void searchClosed() throws Exception {
    open();
    show(make.column(toolbar(new SearchView(activity)), files()));
    save("com.android.contacts");
  }

  @Test
  public void searchOpenWithText() throws Exception {
    open();
    SearchView search = new SearchView(activity);
    search.setQueryHint("Find contacts");
    show(make.column(toolbar(search), files()));
    search.setIconified(false);
    search.setQuery("ada", false);
    save("com.android.contacts");
  }

  @Test
  @Config(sdk = 35)
  public void searchOpenEmpty() throws Exception {
    open();
    SearchView search = new SearchView(activity);
    search.setQueryHint("Find contacts");
    search.setIconifiedByDefault(false);
    search.setSubmitButtonEnabled(true);
    show(make.column(search, files()));
    save("com.android.contacts");
  }

  /** Text is selected in a bar of its own. */
  @Test
  @Config(sdk = 28)
  public void actionMode() throws Exception {
    open(WithMenu.class, android.R.style.Theme_Material_Light_DarkActionBar);
    show(files());
    activity.startActionMode(
        new android.view.ActionMode.Callback() {
          @Override
          public boolean onCreateActionMode(android.view.ActionMode mode, Menu menu) {
            mode.setTitle("2 selected");
            fill(menu);
            return true;
          }

          @Override
          public boolean onPrepareActionMode(android.view.ActionMode mode, Menu menu) {
            return false;
          }

          @Override
          public boolean onActionItemClicked(android.view.ActionMode mode, MenuItem item) {
            return false;
          }

          @Override
          public void onDestroyActionMode(android.view.ActionMode mode) {}
        });
    save("com.example.files");
  }
}
