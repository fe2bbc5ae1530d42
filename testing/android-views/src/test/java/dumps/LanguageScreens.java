package dumps;

import android.app.AlertDialog;
import android.app.DatePickerDialog;
import android.app.TimePickerDialog;
import android.view.View;
import android.widget.ArrayAdapter;
import android.widget.ListView;
import android.widget.Switch;
import org.junit.Test;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;

/** Other languages, directions and sizes of letters. */
public class LanguageScreens extends Screens {
  @Test
  @Config(qualifiers = "ar-rEG-ldrtl-w360dp-h800dp-xxhdpi")
  public void arabicDatePicker() throws Exception {
    open();
    new DatePickerDialog(activity, android.R.style.Theme_Material_Light_Dialog_Alert, null, 2026, 1, 14).show();
    save();
  }

  @Test
  @Config(sdk = 30, qualifiers = "iw-rIL-ldrtl-w360dp-h800dp-xxhdpi")
  public void hebrewSettings() throws Exception {
    open();
    View list = make.column(rtlRow("רשת Wi-Fi", "מחובר אל Home"), rtlRow("נתונים סלולריים", "4G"), make.row(make.button("שמירה"), make.button("ביטול")));
    show(make.padded(list, 16));
    save("com.android.settings");
  }

  private View rtlRow(String title, String summary) {
    Switch control = new Switch(activity);
    return make.tappable(make.padded(make.row(make.sized(make.column(make.text(title, 18), make.text(summary)), 0, Make.WRAP, 1), control), 8));
  }

  @Test
  @Config(sdk = 28, qualifiers = "ar-rEG-ldrtl-w360dp-h800dp-xxhdpi")
  public void arabicMessage() throws Exception {
    open();
    new AlertDialog.Builder(activity)
        .setTitle("حذف الملف؟")
        .setMessage("سيتم حذف report.pdf نهائيًا.")
        .setPositiveButton(android.R.string.ok, (dialog, which) -> {})
        .setNegativeButton(android.R.string.cancel, (dialog, which) -> {})
        .show();
    save();
  }

  @Test
  @Config(sdk = 35, qualifiers = "ja-rJP-w360dp-h800dp-xxhdpi")
  public void japaneseTimePicker() throws Exception {
    open();
    new TimePickerDialog(activity, android.R.style.Theme_Material_Light_Dialog_Alert, null, 15, 30, true).show();
    save();
  }

  @Test
  @Config(qualifiers = "zh-rCN-w360dp-h640dp-xhdpi")
  public void chineseChat() throws Exception {
    open();
    ListView list = new ListView(activity);
    list.setAdapter(
        new ArrayAdapter<>(
            activity,
            android.R.layout.simple_list_item_1,
            new String[] {"你好！", "👍🏽", "👨‍👩‍👧 明天见", "<b>不是标签</b> & \"引号\"", "it's 'single'", "第一行\n第二行", "tab\there", "bell\u0007"}));
    View entry = make.row(make.sized(make.field("输入消息", ""), 0, Make.WRAP, 1), make.imageButton(android.R.drawable.ic_menu_send, "发送 ➤"));
    show(make.column(make.sized(list, Make.MATCH, 0, 1), entry));
    save("com.example.chat");
  }

  private void largeLetters(float scale) {
    RuntimeEnvironment.setFontScale(scale);
    open();
    View summary = make.text("Restaurants near you that are open now and deliver within half an hour", 16);
    View page =
        make.column(
            make.text("Dinner", 32), summary, make.row(make.button("Filter"), make.button("Sort"), make.button("Favourites only")),
            rtlRow("Vegetarian dishes only, also as a side", "12 of 40"), make.field("Search for dishes and restaurants", ""));
    show(make.scroll(make.padded(page, 16)));
  }

  @Test
  @Config(sdk = 26)
  public void largeLetters() throws Exception {
    largeLetters(1.3f);
    save();
  }

  @Test
  @Config(sdk = 35, qualifiers = Screens.SMALL)
  public void hugeLetters() throws Exception {
    largeLetters(2.0f);
    save();
  }
}
