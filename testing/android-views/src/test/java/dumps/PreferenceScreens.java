package dumps;

import android.content.Context;
import android.os.Bundle;
import android.preference.CheckBoxPreference;
import android.preference.EditTextPreference;
import android.preference.ListPreference;
import android.preference.Preference;
import android.preference.PreferenceActivity;
import android.preference.PreferenceCategory;
import android.preference.PreferenceFragment;
import android.preference.PreferenceGroup;
import android.preference.PreferenceScreen;
import android.preference.SwitchPreference;
import java.util.List;
import org.junit.Test;
import org.robolectric.annotation.Config;

/** Settings, made of the framework's preferences. */
@SuppressWarnings("deprecation")
public class PreferenceScreens extends Screens {
  /** An activity with an empty screen of preferences. */
  public static class Settings extends PreferenceActivity {
    @Override
    protected void onCreate(Bundle state) {
      super.onCreate(state);
      setPreferenceScreen(getPreferenceManager().createPreferenceScreen(this));
    }
  }

  /** Settings with headers, as on phones: a list of pages. */
  public static class Headers extends PreferenceActivity {
    @Override
    public void onBuildHeaders(List<Header> target) {
      for (String title : List.of("Network", "Sound", "Display", "Storage", "Battery")) {
        Header header = new Header();
        header.title = title;
        header.summary = title + " settings";
        header.iconRes = android.R.drawable.ic_menu_preferences;
        header.fragment = Page.class.getName();
        target.add(header);
      }
    }

    @Override
    protected boolean isValidFragment(String name) {
      return true;
    }
  }

  /** What stands beside the headers on a wide screen. */
  public static class Page extends PreferenceFragment {
    @Override
    public void onCreate(Bundle state) {
      super.onCreate(state);
      setPreferenceScreen(getPreferenceManager().createPreferenceScreen(getActivity()));
      addEveryKind(getPreferenceScreen());
    }
  }

  private Settings settings() {
    return open(Settings.class, android.R.style.Theme_Material_Light_NoActionBar);
  }

  private static <P extends Preference> P described(P preference, String title, String summary) {
    preference.setTitle(title);
    preference.setSummary(summary);
    return preference;
  }

  private static PreferenceCategory category(PreferenceScreen screen, String title) {
    PreferenceCategory category = new PreferenceCategory(screen.getContext());
    category.setTitle(title);
    screen.addPreference(category);
    return category;
  }

  private static void addEveryKind(PreferenceGroup to) {
    Context context = to.getContext();
    SwitchPreference wifi = described(new SwitchPreference(context), "Wi-Fi", "Connected to Home");
    wifi.setChecked(true);
    to.addPreference(wifi);
    to.addPreference(described(new CheckBoxPreference(context), "Roaming", "Costs may be high"));
    ListPreference type = described(new ListPreference(context), "Preferred network type", "5G");
    to.addPreference(type);
    to.addPreference(described(new EditTextPreference(context), "Device name", "Pixel"));
    Preference off = described(new Preference(context), "Private DNS", "Off");
    off.setEnabled(false);
    to.addPreference(off);
  }

  @Test
  public void settingsOfEveryKind() throws Exception {
    PreferenceScreen screen = settings().getPreferenceScreen();
    addEveryKind(category(screen, "Internet"));
    PreferenceCategory more = category(screen, "More");
    Preference icon = described(new Preference(activity), "About phone", null);
    icon.setIcon(android.R.drawable.ic_menu_info_details);
    more.addPreference(icon);
    save("com.android.settings");
  }

  @Test
  @Config(sdk = 30)
  public void compressedSettings() throws Exception {
    compressed = true;
    settingsOfEveryKind();
  }

  @Test
  @Config(sdk = 26, qualifiers = Screens.SMALL)
  public void settingsScrolled() throws Exception {
    Settings settings = settings();
    for (int group = 1; group <= 4; group++) addEveryKind(category(settings.getPreferenceScreen(), "Line " + group));
    settle();
    settings.getListView().scrollListBy(make.dp(210));
    save("com.android.settings");
  }

  @Test
  @Config(sdk = 30)
  public void settingsEditText() throws Exception {
    Settings settings = settings();
    EditTextPreference name = described(new EditTextPreference(settings), "Device name", "Pixel");
    name.setKey("name");
    name.setDialogTitle("Device name");
    name.setText("Mara's \"old\" phone");
    settings.getPreferenceScreen().addPreference(name);
    settle();
    settings.getListView().performItemClick(settings.getListView().getChildAt(0), 0, 0);
    save("com.android.settings");
  }

  @Test
  @Config(sdk = 28)
  public void settingsList() throws Exception {
    Settings settings = settings();
    ListPreference sleep = new ListPreference(settings);
    sleep.setKey("sleep");
    sleep.setTitle("Sleep");
    sleep.setDialogTitle("Sleep after");
    sleep.setEntries(new String[] {"15 seconds", "30 seconds", "1 minute", "10 minutes"});
    sleep.setEntryValues(new String[] {"15", "30", "60", "600"});
    sleep.setValue("60");
    settings.getPreferenceScreen().addPreference(sleep);
    settle();
    settings.getListView().performItemClick(settings.getListView().getChildAt(0), 0, 0);
    save("com.android.settings");
  }

  @Test
  @Config(sdk = 35)
  public void settingsNested() throws Exception {
    Settings settings = settings();
    PreferenceScreen page = settings.getPreferenceManager().createPreferenceScreen(settings);
    page.setTitle("Gestures");
    page.setKey("gestures");
    settings.getPreferenceScreen().addPreference(page);
    SwitchPreference lift = described(new SwitchPreference(settings), "Lift to check phone", null);
    page.addPreference(lift);
    page.addPreference(described(new SwitchPreference(settings), "Double-tap to wake", "Also while charging"));
    settle();
    settings.getListView().performItemClick(settings.getListView().getChildAt(0), 0, 0);
    save("com.android.settings");
  }

  @Test
  @Config(sdk = 30, qualifiers = Screens.TABLET)
  public void settingsHeaders() throws Exception {
    open(Headers.class, android.R.style.Theme_Material_Light);
    save("com.android.settings");
  }
}
